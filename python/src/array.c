/* array.c: memory with a shape. numpy.asarray and memoryview share it without a copy; it lives as long as one of them. */
#include <stdlib.h>

#include "module.h"

struct array {
    PyObject_HEAD
    PyObject *owner;             /* NULL: the memory is its own */
    char *data;
    const char *format;          /* of the struct module */
    Py_ssize_t item, shape[2], strides[2];
    int dimensions;
};

void *array_data(PyObject *array)
{
    return ((struct array *)array)->data;
}

static struct array *make(struct module *module)
{
    PyTypeObject *type = (PyTypeObject *)module->array;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (struct array *)alloc(type, 0);
}

/* columns 0: one dimension. */
PyObject *array_new(struct module *module, const char *format, size_t item, size_t rows, size_t columns)
{
    struct array *array = make(module);
    size_t wide = columns ? columns : 1;
    if (!array)
        return NULL;
    array->format = format;
    array->item = (Py_ssize_t)item;
    array->dimensions = columns ? 2 : 1;
    array->shape[0] = (Py_ssize_t)rows;
    array->shape[1] = (Py_ssize_t)columns;
    array->strides[0] = (Py_ssize_t)(wide * item);
    array->strides[1] = (Py_ssize_t)item;
    array->data = memory_get(rows * wide * item);
    if (!array->data) {
        Py_DECREF(array);
        return NULL;
    }
    return (PyObject *)array;
}

/* One column of an array of two dimensions; the memory is shared. */
PyObject *array_column(struct module *module, PyObject *owner, size_t column)
{
    const struct array *whole = (struct array *)owner;
    struct array *array = make(module);
    if (!array)
        return NULL;
    array->owner = Py_NewRef(owner);
    array->format = whole->format;
    array->item = whole->item;
    array->dimensions = 1;
    array->shape[0] = whole->shape[0];
    array->strides[0] = whole->strides[0];
    array->data = whole->data + (Py_ssize_t)column * whole->item;
    return (PyObject *)array;
}

static void array_dealloc(PyObject *self)
{
    struct array *array = (struct array *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (array->owner)
        Py_DECREF(array->owner);
    else
        free(array->data);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static int array_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    struct array *array = (struct array *)self;
    bool plain = !array->owner;
    if (!plain && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "a column is not contiguous");
        view->obj = NULL;
        return -1;
    }
    view->obj = Py_NewRef(self);
    view->buf = array->data;
    view->itemsize = array->item;
    view->len = array->item * array->shape[0] * (array->dimensions > 1 ? array->shape[1] : 1);
    view->readonly = 0;
    view->ndim = array->dimensions;
    view->format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)array->format : NULL;
    view->shape = flags & PyBUF_ND ? array->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? array->strides : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyType_Slot slots[] = {
    { Py_tp_dealloc, array_dealloc },
    { Py_bf_getbuffer, array_getbuffer },
    { 0, NULL },
};

PyType_Spec array_spec = {
    .name = "pyramids._core.Array", .basicsize = sizeof(struct array),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, .slots = slots,
};
