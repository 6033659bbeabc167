/* think.c: bots, and the values of choices and games. All of this takes time: the lock is released, and Ctrl-C ends it. */
#include <stdlib.h>
#include <string.h>

#include <pyramids/luck.h>

#include "module.h"

#define MOST_PLAYOUTS 10000000   /* as for the command */

/* Bots. */

struct bot {
    PyObject_HEAD
    PyObject *edition;
    const struct pyr_bot *bot;
    void *memory;
    struct pyr_rng rng;
    uint64_t nodes;
    bool busy;
};

/* Bot(edition, name, seed, nodes) */
static PyObject *bot_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct module *module = PyType_GetModuleState(type);
    PyObject *edition, *number, *nodes_number;
    const char *name;
    uint64_t seed, nodes;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OsOO", &edition, &name, &number, &nodes_number) || !edition_of(module, edition) ||
        number_of(number, "a seed", &seed) || number_of(nodes_number, "nodes", &nodes))
        return NULL;
    const struct pyr_bot *bot = pyr_bot_find(name);
    if (!bot)
        return PyErr_Format(PyExc_ValueError, "unknown bot '%s'; pyramids.bots.names lists them", name);
    struct bot *self = (struct bot *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    const struct pyr_box *box = &((struct edition *)edition)->edition->box;
    self->edition = Py_NewRef(edition);
    self->bot = bot;
    self->nodes = nodes;
    pyr_rng_seed(&self->rng, seed, 0);
    size_t size = bot->memory ? bot->memory(box) : 0;
    if (size && !(self->memory = memory_get(size))) {
        Py_DECREF(self);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    if (size && bot->prepare)
        bot->prepare(self->memory, box);
    Py_END_ALLOW_THREADS
    return (PyObject *)self;
}

static void bot_dealloc(PyObject *object)
{
    struct bot *self = (struct bot *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->memory);
    Py_XDECREF(self->edition);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* choose(match, seat) -> action */
static PyObject *bot_choose(PyObject *object, PyObject *args)
{
    struct bot *self = (struct bot *)object;
    struct module *module = module_of(object);
    PyObject *match_object, *number;
    struct pyr_view view;
    struct patience patience;
    if (!PyArg_ParseTuple(args, "O!O", (PyTypeObject *)module->match, &match_object, &number))
        return NULL;
    const struct match *match = (struct match *)match_object;
    int seat = seat_of(number, match->match->replay.seats);
    if (seat < 0)
        return NULL;
    if (!edition_is_same(match->edition, self->edition))
        return PyErr_Format(PyExc_ValueError, "the bot %s was made for another edition", self->bot->name);
    if (!(pyr_match_waiting(match->match) >> seat & 1))
        return raise_illegal(module, PYR_ERR_NOT_DUE, match->match->replay.state.open.phase, -1, -1);
    if (self->busy)
        return raise_busy("bot");
    pyr_match_view(match->match, (pyr_seat)seat, &view);
    const struct pyr_box *box = &((struct edition *)self->edition)->edition->box;
    const struct pyr_budget budget = { self->nodes, patience_is_over, &patience };
    struct pyr_rng rng = self->rng;
    self->busy = true;
    Py_INCREF(object);
    patience_begin(&patience);
    pyr_step step = self->bot->choose(self->memory, box, &view, &rng, &budget);
    bool fine = patience_end(&patience);
    self->busy = false;
    if (fine)
        self->rng = rng;
    Py_DECREF(self);
    return fine ? PyLong_FromLong(pyr_env_step_action(box, &view, step)) : NULL;
}

static PyMethodDef bot_methods[] = {
    { "choose", bot_choose, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot bot_slots[] = {
    { Py_tp_new, bot_new },
    { Py_tp_dealloc, bot_dealloc },
    { Py_tp_methods, bot_methods },
    { 0, NULL },
};

PyType_Spec bot_spec = {
    .name = "pyramids._core.Bot", .basicsize = sizeof(struct bot), .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = bot_slots,
};

/* Analysis. */

/* How many playouts or worlds; 0 with an exception. */
static unsigned playouts_of(PyObject *object)
{
    uint64_t number;
    if (number_of(object, "playouts", &number))
        return 0;
    if (number >= 1 && number <= MOST_PLAYOUTS)
        return (unsigned)number;
    PyErr_Format(PyExc_ValueError, "playouts must be 1 to %u", (unsigned)MOST_PLAYOUTS);
    return 0;
}

/* Memory of the analysis for an edition, prepared; NULL with an exception. */
static void *prepared(const struct pyr_box *box)
{
    void *memory = memory_get(pyr_analysis_memory(box));
    if (memory) {
        Py_BEGIN_ALLOW_THREADS
        pyr_analysis_prepare(memory, box);
        Py_END_ALLOW_THREADS
    }
    return memory;
}

static PyObject *choice_text(const struct pyr_option *option, const struct pyr_desk *desk)
{
    char text[PYR_CHOICE_SIZE];
    struct pyr_out out;
    pyr_out_init(&out, text, sizeof text);
    pyr_choice_write(option->step, option->count, desk, &out);
    return PyUnicode_FromString(text);
}

/* options(match, seat, playouts, seed) -> [(choice, points, win, points margin, win margin, usual), ...], best first */
PyObject *core_options(PyObject *self, PyObject *args)
{
    struct module *module = PyModule_GetState(self);
    PyObject *match_object, *number, *playouts_number, *seed_number, *list = NULL;
    struct pyr_view view;
    struct patience patience;
    struct pyr_rng rng;
    unsigned playouts, count;
    uint64_t seed;
    if (!PyArg_ParseTuple(args, "O!OOO", (PyTypeObject *)module->match, &match_object, &number, &playouts_number,
        &seed_number) || !(playouts = playouts_of(playouts_number)) || number_of(seed_number, "a seed", &seed))
        return NULL;
    const struct match *match = (struct match *)match_object;
    int seat = seat_of(number, match->match->replay.seats);
    if (seat < 0)
        return NULL;
    if (!(pyr_match_waiting(match->match) >> seat & 1) || match->match->choice[seat].count)
        return raise_illegal(module, PYR_ERR_NOT_DUE, match->match->replay.state.open.phase, -1, -1);
    /* Before the lock is released, since another thread may continue the game then. */
    pyr_match_view(match->match, (pyr_seat)seat, &view);
    PyObject *edition = Py_NewRef(match->edition);
    const struct pyr_box *box = &((struct edition *)edition)->edition->box;
    struct pyr_option *options = memory_get(PYR_MAX_OPTIONS * sizeof *options);
    void *memory = options ? prepared(box) : NULL;
    if (!memory)
        goto end;
    pyr_rng_seed(&rng, seed, 0);
    pyr_analysis_poll(memory, patience_is_over, &patience);
    patience_begin(&patience);
    count = pyr_analysis_options(memory, box, &view, playouts, &rng, NULL, options, PYR_MAX_OPTIONS);
    if (!patience_end(&patience))
        goto end;
    list = PyList_New(0);
    for (unsigned i = 0; list && i < count; i++) {
        const struct pyr_option *o = &options[i];
        PyObject *row = Py_BuildValue("(NddddO)", choice_text(o, &view.mine), (double)o->points, (double)o->win,
            (double)o->points_margin, (double)o->win_margin, o->usual ? Py_True : Py_False);
        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
end:
    free(memory);
    free(options);
    Py_DECREF(edition);
    return list;
}

struct analysis {
    struct pyr_luck_how how;
    struct pyr_luck_log log;
    struct pyr_luck_task task[PYR_LUCK_TASKS];
    struct pyr_luck_sum sum[PYR_MAX_SEATS];
    struct pyr_luck_decision decision;
    struct pyr_luck_chance chance;
    unsigned chances;
    PyObject *list;
};

static PyObject *decision_row(const struct pyr_luck_decision *d, const struct pyr_desk *desk)
{
    const struct pyr_option *best = d->bests ? &d->best[0] : &d->made;
    return Py_BuildValue("(IIIINNdddds)", (unsigned)d->line, (unsigned)d->seat, (unsigned)d->round, (unsigned)d->turn,
        choice_text(&d->made, desk), choice_text(best, desk), (double)d->points_lost, (double)d->points_margin,
        (double)d->win_lost, (double)d->win_margin, pyr_luck_threshold(d->mark)->sign);
}

/* Rates one task; false with an exception. */
static bool rate(struct analysis *a, const struct pyr_luck_task *task, struct patience *patience)
{
    patience_begin(patience);
    if (task->is_chance)
        pyr_luck_measure(&a->how, task, &a->chance);
    else
        pyr_luck_decide(&a->how, task, &a->decision);
    if (!patience_end(patience))
        return false;
    if (task->is_chance) {
        pyr_luck_add_chance(a->sum, &a->chance, !a->chances++);
        return true;
    }
    pyr_luck_add_decision(a->sum, &a->decision, true);
    PyObject *row = decision_row(&a->decision, &task->state.open.desk[a->decision.seat]);
    bool fine = row && !PyList_Append(a->list, row);
    Py_XDECREF(row);
    return fine;
}

static PyObject *sums(const struct analysis *a, unsigned seats)
{
    PyObject *list = PyList_New(0);
    for (unsigned i = 0; list && i < seats; i++) {
        const struct pyr_luck_sum *s = &a->sum[i];
        PyObject *row = Py_BuildValue("(dddddddIs)", (double)s->actual, (double)s->par, (double)s->luck,
            (double)s->luck_margin, (double)s->skill, (double)s->lost, (double)s->rate, s->decisions,
            s->decisions ? pyr_luck_level(s->rate) : "");
        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* analyze(match, playouts, seed) -> ([decision, ...], [sum, ...]) of a finished game */
PyObject *core_analyze(PyObject *self, PyObject *args)
{
    struct module *module = PyModule_GetState(self);
    PyObject *match_object, *playouts_number, *number, *result = NULL;
    struct patience patience;
    unsigned playouts;
    uint64_t seed;
    bool fine = true;
    if (!PyArg_ParseTuple(args, "O!OO", (PyTypeObject *)module->match, &match_object, &playouts_number, &number) ||
        !(playouts = playouts_of(playouts_number)) || number_of(number, "a seed", &seed))
        return NULL;
    if (!pyr_match_is_over(((struct match *)match_object)->match))
        return PyErr_Format(PyExc_ValueError, "only a finished game can be analysed; use options() for a decision");
    struct analysis *a = memory_get(sizeof *a);
    struct pyr_match *copy = a ? memory_get(sizeof *copy) : NULL;
    PyObject *edition = Py_NewRef(((struct match *)match_object)->edition);
    const struct pyr_edition *printed = ((struct edition *)edition)->edition;
    void *memory = copy ? prepared(&printed->box) : NULL;
    if (!memory || !(a->list = PyList_New(0)))
        goto end;
    memcpy(copy, ((struct match *)match_object)->match, sizeof *copy);
    a->how = (struct pyr_luck_how){ &printed->box, memory, playouts, seed };
    pyr_analysis_poll(memory, patience_is_over, &patience);
    pyr_luck_begin(&a->log, printed);
    while (fine && a->log.line < copy->log.lines) {
        unsigned found = pyr_luck_follow(&a->log, pyr_match_line(copy, a->log.line), a->task);
        for (unsigned i = 0; fine && i < found; i++)
            fine = rate(a, &a->task[i], &patience);
    }
    if (fine) {
        pyr_luck_finish(a->sum, &printed->box, &copy->replay.state.open, NULL);
        result = Py_BuildValue("(ON)", a->list, sums(a, copy->replay.seats));
    }
end:
    if (a)
        Py_XDECREF(a->list);
    free(a);
    free(copy);
    free(memory);
    Py_DECREF(edition);
    return result;
}
