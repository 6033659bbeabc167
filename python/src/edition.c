/* edition.c: editions: read, generated or built in. */
#include <stdlib.h>
#include <string.h>

#include "module.h"

struct edition *edition_of(struct module *module, PyObject *object)
{
    if (Py_TYPE(object) == (PyTypeObject *)module->edition)
        return (struct edition *)object;
    PyErr_SetString(PyExc_TypeError, "an edition must be a pyramids.Edition");
    return NULL;
}

bool edition_is_same(PyObject *one, PyObject *other)
{
    struct pyr_components a, b;
    if (one == other)
        return true;
    pyr_box_components(&((struct edition *)one)->edition->box, &a);
    pyr_box_components(&((struct edition *)other)->edition->box, &b);
    return !memcmp(&a, &b, sizeof a);
}

static int prepare(struct edition *self)
{
    self->edition = memory_get(sizeof *self->edition);
    for (unsigned seats = 2; self->edition && seats <= PYR_MAX_SEATS; seats++)
        if (!(self->env[seats] = memory_get(sizeof **self->env)))
            return -1;
    return self->edition ? 0 : -1;
}

static int set_up(struct module *module, struct edition *self)
{
    for (unsigned seats = 2; seats <= PYR_MAX_SEATS; seats++) {
        const struct pyr_env_options options = { .seats = (uint8_t)seats };
        enum pyr_err err = pyr_env_init(self->env[seats], &self->edition->box, &options);
        if (err) {
            raise_code(module, err);
            return -1;
        }
    }
    return 0;
}

/* Edition(text=None, name=None, seed=None): exactly one of them. */
static PyObject *edition_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char words[3][5] = { "text", "name", "seed" }, *names[] = { words[0], words[1], words[2], NULL };
    const char *text = NULL, *name = NULL;
    Py_ssize_t size = 0;
    PyObject *seed = NULL;
    uint64_t number = 0;
    struct module *module = PyType_GetModuleState(type);
    struct pyr_fault fault;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z#zO", names, &text, &size, &name, &seed))
        return NULL;
    if ((text != NULL) + (name != NULL) + (seed && seed != Py_None) != 1)
        return PyErr_Format(PyExc_TypeError, "an edition needs a text, a name or a seed");
    if (name && !(text = pyr_builtin_edition(name)))
        return PyErr_Format(PyExc_ValueError, "unknown edition '%s'; built in is: classic", name);
    if (name)
        size = (Py_ssize_t)strlen(text);
    if (!text && number_of(seed, "a seed", &number))
        return NULL;
    struct edition *self = (struct edition *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    enum pyr_err err = PYR_OK;
    if (prepare(self))
        goto fail;
    if (text)
        err = pyr_edition_read(self->edition, text, (size_t)size, &fault);
    else
        err = pyr_edition_generate(self->edition, number);
    if (err && text)
        raise_fault(module, &fault);
    else if (err)
        raise_code(module, err);
    if (err || set_up(module, self))
        goto fail;
    return (PyObject *)self;
fail:
    Py_DECREF(self);
    return NULL;
}

static void edition_dealloc(PyObject *object)
{
    struct edition *self = (struct edition *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->edition);
    for (unsigned i = 0; i <= PYR_MAX_SEATS; i++)
        free(self->env[i]);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *edition_name(PyObject *self, void *which)
{
    (void)which;
    return PyUnicode_FromString(((struct edition *)self)->edition->name);
}

static PyObject *edition_title(PyObject *self, void *which)
{
    (void)which;
    return PyUnicode_FromString(((struct edition *)self)->edition->title);
}

static PyObject *edition_patterns(PyObject *self, void *which)
{
    (void)which;
    PyObject *names = PyTuple_New(PYR_PATTERNS);
    for (unsigned i = 0; names && i < PYR_PATTERNS; i++) {
        PyObject *name = PyUnicode_FromString(((struct edition *)self)->edition->pattern_name[i]);
        if (!name || PyTuple_SetItem(names, i, name)) {
            Py_DECREF(names);
            return NULL;
        }
    }
    return names;
}

static PyObject *edition_text(PyObject *self, void *which)
{
    const struct pyr_edition *edition = ((struct edition *)self)->edition;
    (void)which;
    size_t size = pyr_edition_write(edition, NULL, 0);
    char *text = memory_get(size + 1);
    if (!text)
        return NULL;
    pyr_edition_write(edition, text, size + 1);
    PyObject *result = PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
    free(text);
    return result;
}

static PyObject *edition_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<pyramids.Edition %s>", ((struct edition *)self)->edition->name);
}

/* For pickle and copy. */
static PyObject *edition_reduce(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *text = edition_text(self, NULL);
    return text ? Py_BuildValue("(O(N))", (PyObject *)Py_TYPE(self), text) : NULL;
}

static PyMethodDef methods[] = {
    { "__reduce__", edition_reduce, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef members[] = {
    { "name", edition_name, NULL, "The word by which records refer to it.", NULL },
    { "title", edition_title, NULL, "Its title.", NULL },
    { "patterns", edition_patterns, NULL, "The names of its six patterns.", NULL },
    { "text", edition_text, NULL, "The edition file (docs/formats.md).", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_new, edition_new },
    { Py_tp_dealloc, edition_dealloc },
    { Py_tp_repr, edition_repr },
    { Py_tp_methods, methods },
    { Py_tp_getset, members },
    { Py_tp_doc, (void *)(uintptr_t)"Edition(text=None, name=None, seed=None): what is printed on the components." },
    { 0, NULL },
};

PyType_Spec edition_spec = {
    .name = "pyramids.Edition", .basicsize = sizeof(struct edition), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
