/* module.c: the module object, exceptions, and helpers for all files. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module.h"

#include <pyramids/text.h>
#include <pyramids/version.h>

/* Errors. */

/* Raises type(message, code, rule, ...): the classes are in pyramids/_errors.py. */
static PyObject *raise(PyObject *type, PyObject *error)
{
    if (error)
        PyErr_SetObject(type, error);
    Py_XDECREF(error);
    return NULL;
}

/* The rule for what has to be done in a phase. */
static const char *rule_of(enum pyr_err code, unsigned phase)
{
    static const char *const rules[] = { "R4", "R5", "R7", "R8", "R12", "R15" };
    const char *rule = pyr_err_rule(code);
    return *rule || phase > PYR_END ? rule : rules[phase];
}

PyObject *raise_illegal(struct module *module, enum pyr_err code, unsigned phase, Py_ssize_t row, long action)
{
    struct pyr_fault fault = { .code = code };
    char text[512];
    PyOS_snprintf(fault.word, sizeof fault.word, action < 0 ? "this action" : "action %ld", action);
    pyr_text_fault(&fault, text, sizeof text);
    PyObject *place = row < 0 ? Py_NewRef(Py_None) : PyLong_FromSsize_t(row);
    return raise(module->illegal, place ? PyObject_CallFunction(module->illegal, "sssN", text, pyr_err_name(code),
        rule_of(code, phase), place) : NULL);
}

PyObject *raise_fault(struct module *module, const struct pyr_fault *fault)
{
    char text[512];
    pyr_text_fault(fault, text, sizeof text);
    return raise(module->format, PyObject_CallFunction(module->format, "sssII", text, pyr_err_name(fault->code),
        pyr_err_rule(fault->code), (unsigned)fault->line, (unsigned)fault->column));
}

PyObject *raise_code(struct module *module, enum pyr_err code)
{
    char text[512];
    pyr_text_error(code, text, sizeof text);
    return raise(module->error, PyObject_CallFunction(module->error, "sss", text, pyr_err_name(code), pyr_err_rule(code)));
}

PyObject *raise_busy(const char *what)
{
    return PyErr_Format(PyExc_RuntimeError, "another thread is using this %s; give each thread its own", what);
}

/* Helpers. */

void *memory_get(size_t size)
{
    void *memory = size < PY_SSIZE_T_MAX / 2 ? aligned_alloc(64, (size + 64) / 64 * 64) : NULL;
    if (!memory) {
        PyErr_Format(PyExc_MemoryError, "there is no memory for %zu bytes", size);
        return NULL;
    }
    return memset(memory, 0, size);
}

int seat_of(PyObject *object, unsigned seats)
{
    long seat = PyLong_AsLong(object);
    if (seat == -1 && PyErr_Occurred())
        return -1;
    if (seat < 0 || seat >= (long)seats) {
        PyErr_Format(PyExc_ValueError, "seat %ld does not play; the seats are 0 to %u", seat, seats - 1);
        return -1;
    }
    return (int)seat;
}

/* A number from 0 to 2^64 - 1; `what` names it in the exception. */
int number_of(PyObject *object, const char *what, uint64_t *to)
{
    PyObject *whole = PyNumber_Index(object);
    if (!whole)
        return -1;
    unsigned long long number = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    if (number == (unsigned long long)-1 && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s must be a number from 0 to 2**64 - 1", what);
        return -1;
    }
    *to = number;
    return 0;
}

/* Long calls. */

#define LOOK 0.05                /* seconds between checks for signals */

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void patience_begin(struct patience *patience)
{
    patience->is_over = false;
    patience->next = seconds(CLOCK_MONOTONIC) + LOOK;
    patience->thread = PyEval_SaveThread();
}

bool patience_is_over(void *context)
{
    struct patience *patience = context;
    double now = seconds(CLOCK_MONOTONIC);
    if (patience->is_over || now < patience->next)
        return patience->is_over;
    PyEval_RestoreThread(patience->thread);
    patience->is_over = PyErr_CheckSignals() != 0;
    patience->thread = PyEval_SaveThread();
    patience->next = seconds(CLOCK_MONOTONIC) + LOOK;
    return patience->is_over;
}

bool patience_end(struct patience *patience)
{
    PyEval_RestoreThread(patience->thread);
    return !patience->is_over && !PyErr_CheckSignals();
}

/* Functions. */

static PyObject *core_describe(PyObject *self, PyObject *number)
{
    static const char *const kinds[] = { "pass", "keep", "take", "draw", "mark" };
    struct pyr_env_action a;
    long action = PyLong_AsLong(number);
    (void)self;
    if (action == -1 && PyErr_Occurred())
        return NULL;
    if (action < 0 || action >= PYR_ENV_ACTIONS || !pyr_env_describe((int32_t)action, &a))
        return PyErr_Format(PyExc_ValueError, "%ld is not an action; they are 0 to %d", action, PYR_ENV_ACTIONS - 1);
    return Py_BuildValue("(siiiiiii)", kinds[a.kind], a.is_pattern, a.turn, a.slot, a.row, a.column, a.first, a.second);
}

/* [(name, offset, shape, most), ...] of a plane. */
static PyObject *core_fields(PyObject *self, PyObject *args)
{
    const struct pyr_env_field *field;
    int plane;
    (void)self;
    if (!PyArg_ParseTuple(args, "i", &plane))
        return NULL;
    PyObject *list = PyList_New(0);
    for (unsigned i = 0; list && (field = pyr_env_field_at((enum pyr_env_plane)plane, i)); i++) {
        PyObject *row = Py_BuildValue("(sI(III)I)", field->name, (unsigned)field->offset, (unsigned)field->shape[0],
            (unsigned)field->shape[1], (unsigned)field->shape[2], (unsigned)field->most);
        if (!row || PyList_Append(list, row)) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *core_bot_names(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *names = PyTuple_New((Py_ssize_t)pyr_bot_count());
    for (unsigned i = 0; names && i < pyr_bot_count(); i++) {
        PyObject *name = PyUnicode_FromString(pyr_bot_at(i)->name);
        if (!name || PyTuple_SetItem(names, i, name)) {
            Py_DECREF(names);
            return NULL;
        }
    }
    return names;
}

static PyMethodDef functions[] = {
    { "describe", core_describe, METH_O, NULL },
    { "fields", core_fields, METH_VARARGS, NULL },
    { "bot_names", core_bot_names, METH_NOARGS, NULL },
    { "load", core_load, METH_VARARGS, NULL },
    { "restore", core_restore, METH_VARARGS, NULL },
    { "analyze", core_analyze, METH_VARARGS, NULL },
    { "options", core_options, METH_VARARGS, NULL },
    { "speed", core_speed, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

/* The module object. */

static struct PyModuleDef definition;

struct module *module_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

static int add_types(PyObject *m, struct module *module)
{
    struct {
        PyType_Spec *spec;
        PyObject **to;
        const char *name;
    } types[] = {
        { &array_spec, &module->array, "Array" }, { &edition_spec, &module->edition, "Edition" },
        { &match_spec, &module->match, "Match" }, { &batch_spec, &module->batch, "Batch" },
        { &bot_spec, &module->bot, "Bot" },
    };
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        *types[i].to = PyType_FromModuleAndSpec(m, types[i].spec, NULL);
        if (!*types[i].to || PyModule_AddObjectRef(m, types[i].name, *types[i].to))
            return -1;
    }
    return 0;
}

static int execute(PyObject *m)
{
    struct module *module = PyModule_GetState(m);
    PyObject *errors = PyImport_ImportModule("pyramids._errors");
    if (!errors)
        return -1;
    module->error = PyObject_GetAttrString(errors, "Error");
    module->illegal = PyObject_GetAttrString(errors, "IllegalAction");
    module->format = PyObject_GetAttrString(errors, "FormatError");
    module->closed = PyObject_GetAttrString(errors, "ClosedError");
    Py_DECREF(errors);
    if (!module->error || !module->illegal || !module->format || !module->closed || add_types(m, module))
        return -1;
    return PyModule_AddIntConstant(m, "ACTIONS", PYR_ENV_ACTIONS) ||
        PyModule_AddIntConstant(m, "OBSERVATION", PYR_ENV_OBSERVATION) ||
        PyModule_AddIntConstant(m, "CRITIC", PYR_ENV_CRITIC) ||
        PyModule_AddIntConstant(m, "PASS", PYR_ENV_PASS) ||
        PyModule_AddStringConstant(m, "version", pyr_version()) ? -1 : 0;
}

static int traverse(PyObject *m, visitproc visit, void *arg)
{
    struct module *module = PyModule_GetState(m);
    Py_VISIT(module->array);
    Py_VISIT(module->edition);
    Py_VISIT(module->match);
    Py_VISIT(module->batch);
    Py_VISIT(module->bot);
    Py_VISIT(module->error);
    Py_VISIT(module->illegal);
    Py_VISIT(module->format);
    Py_VISIT(module->closed);
    return 0;
}

static int clear(PyObject *m)
{
    struct module *module = PyModule_GetState(m);
    Py_CLEAR(module->array);
    Py_CLEAR(module->edition);
    Py_CLEAR(module->match);
    Py_CLEAR(module->batch);
    Py_CLEAR(module->bot);
    Py_CLEAR(module->error);
    Py_CLEAR(module->illegal);
    Py_CLEAR(module->format);
    Py_CLEAR(module->closed);
    return 0;
}

static void finish(void *m)
{
    clear(m);
}

/* Since 3.12 a module can declare that interpreters with their own lock may use it; the limited API of 3.11 lacks the
 * constant, and 3.11 refuses the slot. */
#define MULTIPLE_INTERPRETERS 3
#define OWN_LOCK ((void *)2)

static PyModuleDef_Slot slots[] = {
    { Py_mod_exec, execute },
    { 0, NULL },
}, slots_from_3_12[] = {
    { Py_mod_exec, execute },
    { MULTIPLE_INTERPRETERS, OWN_LOCK },
    { 0, NULL },
};

#define DEFINITION(list) { \
    PyModuleDef_HEAD_INIT, .m_name = "pyramids._core", .m_doc = "The library behind the package pyramids.", \
    .m_size = sizeof(struct module), .m_methods = functions, .m_slots = list, .m_traverse = traverse, .m_clear = clear, \
    .m_free = finish }

static struct PyModuleDef definition = DEFINITION(slots), definition_from_3_12 = DEFINITION(slots_from_3_12);

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(Py_Version >= 0x030c0000 ? &definition_from_3_12 : &definition);
}
