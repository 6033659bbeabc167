/*
 * module.h: what the files of the extension module pyramids._core share. The module is the C side of the Python package:
 * it checks arguments from Python, releases the interpreter lock while the library works, and turns codes into
 * exceptions. The rest is written in Python (python/pyramids).
 *
 * Interpreters and threads:
 *
 *  1. Everything belongs to a module object (struct module); there is no global state, so that each interpreter of a process
 *     has its own.
 *  2. An object whose library call runs without the lock is `busy`; other calls raise RuntimeError. The flag is
 *     only read and written with the lock.
 *  3. Inputs of such a call (actions, seeds, texts) are copied before, so that no other thread can change them.
 */
#ifndef PYR_PYTHON_MODULE_H
#define PYR_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pyramids/builtin.h>
#include <pyramids/env.h>
#include <pyramids/generate.h>
#include <pyramids/match.h>

/* Types and exceptions of one module object. */
struct module {
    PyObject *array, *edition, *match, *batch, *bot;
    PyObject *error, *illegal, *format, *closed;     /* exceptions of pyramids._errors */
};

struct module *module_of(PyObject *self);    /* of an object of one of the types */

extern PyType_Spec array_spec, edition_spec, match_spec, batch_spec, bot_spec;

/* Errors: each sets the exception and returns NULL. */
/* An illegal action in a phase, which gives the rule where the code has none; row -1: it is the only one, action -1:
 * unknown. */
PyObject *raise_illegal(struct module *module, enum pyr_err code, unsigned phase, Py_ssize_t row, long action);
PyObject *raise_fault(struct module *module, const struct pyr_fault *fault);
PyObject *raise_code(struct module *module, enum pyr_err code);
PyObject *raise_busy(const char *what);

/* Memory aligned to 64 bytes and zeroed; sets MemoryError. Freed with free. */
void *memory_get(size_t size);

/* An edition. The environments, one per number of players, are for rows of single games. */
struct edition {
    PyObject_HEAD
    struct pyr_edition *edition;
    struct pyr_env *env[PYR_MAX_SEATS + 1];
};

/* Any edition from Python: an Edition object only. NULL with TypeError. */
struct edition *edition_of(struct module *module, PyObject *object);

/* Whether two Edition objects have the same components: one may be a copy, from a pickle for instance. */
bool edition_is_same(PyObject *one, PyObject *other);

/* Memory with a shape, for the buffer protocol: what numpy.asarray and memoryview share without a copy. */
PyObject *array_new(struct module *module, const char *format, size_t item, size_t rows, size_t columns);
PyObject *array_column(struct module *module, PyObject *owner, size_t column);
void *array_data(PyObject *array);

/* A game with its log. */
struct match {
    PyObject_HEAD
    PyObject *edition;
    struct pyr_match *match;
};

/* Seats and whole numbers from Python. -1 with an exception. */
int seat_of(PyObject *object, unsigned seats);
int number_of(PyObject *object, const char *what, uint64_t *to);

/* Used while a bot thinks: signals are checked regularly. */
struct patience {
    PyThreadState *thread;       /* saved while the lock is released */
    double next;                 /* when to check again, in seconds of the monotonic clock */
    bool is_over;                /* a signal's handler raised an exception */
};
void patience_begin(struct patience *patience);          /* releases the lock */
bool patience_is_over(void *patience);                   /* pyr_budget.is_over */
bool patience_end(struct patience *patience);            /* takes the lock; false if an exception is set */

/* Functions of the module. */
PyObject *core_analyze(PyObject *self, PyObject *args);
PyObject *core_options(PyObject *self, PyObject *args);
PyObject *core_load(PyObject *self, PyObject *args);
PyObject *core_restore(PyObject *self, PyObject *args);
PyObject *core_speed(PyObject *self, PyObject *args);

#endif
