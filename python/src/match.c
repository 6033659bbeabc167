/*
 * match.c: one game with its log (match.h of the library). A seat makes actions; once its choice is complete it is
 * confirmed, and when all have chosen the game advances. So seats may act in any order, and no choice is visible too
 * early.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/score.h>

#include "module.h"

static struct match *make(struct module *module, PyObject *edition)
{
    PyTypeObject *type = (PyTypeObject *)module->match;
    struct match *self = (struct match *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    self->edition = Py_NewRef(edition);
    self->match = memory_get(sizeof *self->match);
    if (!self->match) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

static const struct pyr_edition *printed(const struct match *self)
{
    return ((struct edition *)self->edition)->edition;
}

static const struct pyr_env *env_of(const struct match *self)
{
    return ((struct edition *)self->edition)->env[self->match->replay.seats];
}

/* Numbers from a buffer of bytes: cards from 1, patterns from 0. False with ValueError. */
static bool read_bytes(PyObject *object, const char *what, uint8_t *to, size_t count, unsigned first)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size))
        return false;
    if ((size_t)size != count) {
        PyErr_Format(PyExc_ValueError, "%s has %zd numbers; it needs %zu", what, size, count);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)((uint8_t)bytes[i] - first);
    return true;
}

/* A chance drawn from the seed, with the given parts replaced. */
static bool read_chance(const struct pyr_edition *edition, unsigned seats, uint64_t seed, PyObject *const given[3],
    struct pyr_chance *chance)
{
    struct pyr_rng rng;
    pyr_rng_seed(&rng, seed, 0);
    pyr_chance_draw(chance, &edition->box, seats, &rng);
    return (given[0] == Py_None || read_bytes(given[0], "dealt", (uint8_t *)chance->dealt, seats * PYR_DEALT, 1)) &&
        (given[1] == Py_None || read_bytes(given[1], "deck", chance->deck, PYR_CARDS, 1)) &&
        (given[2] == Py_None || read_bytes(given[2], "expedition", (uint8_t *)chance->expedition,
            PYR_ROUNDS * PYR_EXPEDITIONS, 0));
}

/* Match(edition, players, names, seed, dealt, deck, expedition); the last three are bytes or None. */
static PyObject *match_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct module *module = PyType_GetModuleState(type);
    PyObject *edition, *names, *number, *given[3];
    const char *name[PYR_MAX_SEATS] = { NULL };
    struct pyr_chance chance;
    unsigned seats;
    uint64_t seed;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OIO!OOOO", &edition, &seats, &PyTuple_Type, &names, &number, &given[0], &given[1],
        &given[2]) || !edition_of(module, edition) || number_of(number, "a seed", &seed))
        return NULL;
    if (seats < 2 || seats > PYR_MAX_SEATS)
        return raise_code(module, PYR_ERR_SEATS);
    if (PyTuple_Size(names) != (Py_ssize_t)seats)
        return PyErr_Format(PyExc_ValueError, "%zd names for %u players", PyTuple_Size(names), seats);
    for (unsigned i = 0; i < seats; i++)
        if (!(name[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL)))
            return NULL;
    struct match *self = make(module, edition);
    if (!self)
        return NULL;
    if (!read_chance(printed(self), seats, seed, given, &chance)) {
        Py_DECREF(self);
        return NULL;
    }
    enum pyr_err err = pyr_match_init(self->match, printed(self), seats, name, &chance);
    if (err) {
        Py_DECREF(self);
        return raise_code(module, err);
    }
    return (PyObject *)self;
}

/* load(edition, text, seed) -> Match */
PyObject *core_load(PyObject *self, PyObject *args)
{
    struct module *module = PyModule_GetState(self);
    PyObject *edition, *number;
    const char *text;
    Py_ssize_t size;
    uint64_t seed;
    struct pyr_fault fault;
    struct pyr_rng rng;
    if (!PyArg_ParseTuple(args, "Os#O", &edition, &text, &size, &number) || !edition_of(module, edition) ||
        number_of(number, "a seed", &seed))
        return NULL;
    struct match *match = make(module, edition);
    if (!match)
        return NULL;
    if (pyr_match_load(match->match, printed(match), text, (size_t)size, PYR_NOBODY, &fault)) {
        Py_DECREF(match);
        return raise_fault(module, &fault);
    }
    if (match->match->replay.stage < PYR_STAGE_PLAY) {
        Py_DECREF(match);
        return PyErr_Format(PyExc_ValueError, "the record ends before all cards are dealt");
    }
    pyr_rng_seed(&rng, seed, 0);
    if (!pyr_match_is_over(match->match))
        pyr_match_shuffle(match->match, &rng);
    return (PyObject *)match;
}

/* Confirms a choice once it is complete. */
static enum pyr_err settle(struct match *self, pyr_seat seat)
{
    bool done = self->match->choice[seat].confirmed || !pyr_match_is_ready(self->match, seat);
    return done ? PYR_OK : pyr_match_confirm(self->match, seat);
}

/* Copies of a game elsewhere: its record, and data that it does not contain. */

/* The chance of the sampled state; past events, which everyone saw, stay unchanged. */
static void sampled_chance(const struct pyr_state *truth, const struct pyr_state *sample, struct pyr_chance *chance)
{
    const struct pyr_table *open = &truth->open;
    unsigned end = (unsigned)(PYR_CARDS - PYR_KEPT * open->seats);
    *chance = sample->hidden;
    memcpy(chance->expedition, truth->hidden.expedition, open->round * sizeof *chance->expedition);
    if (open->phase == PYR_KEEP)
        return;
    memcpy(chance->deck, truth->hidden.deck, pyr_deck_top(truth));
    for (unsigned seat = 0; seat < open->seats; seat++)
        for (unsigned i = 0; i < PYR_KEPT; i++)
            chance->deck[end++] = open->kept[seat][i];
}

/* Data for core_restore that a record does not contain: the order of the cards, and per seat the steps of its choice so
 * far. */
static PyObject *match_hidden(PyObject *object, PyObject *none)
{
    const struct pyr_match *match = ((struct match *)object)->match;
    struct pyr_chance chance;
    (void)none;
    sampled_chance(&match->replay.state, &match->replay.state, &chance);
    PyObject *choices = PyTuple_New(match->replay.seats);
    for (unsigned seat = 0; choices && seat < match->replay.seats; seat++) {
        const struct pyr_pending *choice = &match->choice[seat];
        PyObject *steps = PyTuple_New(choice->count);
        for (unsigned k = 0; steps && k < choice->count; k++) {
            PyObject *step = PyLong_FromUnsignedLongLong(pyr_pending_step(choice, k));
            if (!step || PyTuple_SetItem(steps, k, step))
                Py_CLEAR(steps);
        }
        if (!steps || PyTuple_SetItem(choices, seat, steps))
            Py_CLEAR(choices);
    }
    return choices ? Py_BuildValue("(y#y#N)", chance.deck, (Py_ssize_t)sizeof chance.deck, chance.expedition,
        (Py_ssize_t)sizeof chance.expedition, choices) : NULL;
}

/* Makes the choices of match_hidden again. False if they are illegal; an exception may be set. */
static bool restore_choices(struct match *self, PyObject *choices)
{
    uint64_t step;
    if (PyTuple_Size(choices) != (Py_ssize_t)self->match->replay.seats)
        return false;
    for (unsigned seat = 0; seat < self->match->replay.seats; seat++) {
        PyObject *steps = PyTuple_GetItem(choices, seat);
        Py_ssize_t count = PyTuple_Check(steps) ? PyTuple_Size(steps) : -1;
        for (Py_ssize_t k = 0; k < count; k++)
            if (number_of(PyTuple_GetItem(steps, k), "a step", &step) || pyr_match_step(self->match, seat, step))
                return false;
        if (count < 0 || (count && settle(self, (pyr_seat)seat)))
            return false;
    }
    return true;
}

/* restore(edition, record, (deck, expedition, choices)) -> the Match whose record and match_hidden these are */
PyObject *core_restore(PyObject *self, PyObject *args)
{
    struct module *module = PyModule_GetState(self);
    PyObject *edition, *choices;
    const char *text, *deck, *expedition;
    Py_ssize_t size, cards, patterns;
    struct pyr_fault fault;
    if (!PyArg_ParseTuple(args, "Os#(y#y#O!)", &edition, &text, &size, &deck, &cards, &expedition, &patterns, &PyTuple_Type,
        &choices) || !edition_of(module, edition))
        return NULL;
    struct match *match = make(module, edition);
    if (!match)
        return NULL;
    bool fine = pyr_match_load(match->match, printed(match), text, (size_t)size, PYR_NOBODY, &fault) == PYR_OK &&
        match->match->replay.stage >= PYR_STAGE_PLAY;
    struct pyr_chance chance = { 0 };
    if (fine) {
        chance = match->match->replay.state.hidden;
        fine = cards == sizeof chance.deck && patterns == sizeof chance.expedition;
    }
    if (fine) {
        memcpy(chance.deck, deck, sizeof chance.deck);
        memcpy(chance.expedition, expedition, sizeof chance.expedition);
        fine = pyr_chance_check(&chance, &printed(match)->box, match->match->replay.seats) == PYR_OK;
    }
    if (fine) {
        pyr_match_set_chance(match->match, &chance);
        fine = pyr_state_check(&match->match->replay.state, &printed(match)->box, NULL) == PYR_OK &&
            restore_choices(match, choices);
    }
    if (fine)
        return (PyObject *)match;
    Py_DECREF(match);
    return PyErr_Occurred() ? NULL : raise_code(module, PYR_ERR_STATE);
}

static void match_dealloc(PyObject *object)
{
    struct match *self = (struct match *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->match);
    Py_XDECREF(self->edition);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *match_copy(PyObject *object, PyObject *none)
{
    const struct match *self = (struct match *)object;
    struct match *twin = make(module_of(object), self->edition);
    (void)none;
    if (twin)
        memcpy(twin->match, self->match, sizeof *self->match);
    return (PyObject *)twin;
}

/* Rows. */

/* A seat's view as of the beginning of the phase: whether others have chosen is not part of a row. */
static bool look(struct match *self, PyObject *number, struct pyr_view *view)
{
    int seat = seat_of(number, self->match->replay.seats);
    if (seat < 0)
        return false;
    pyr_match_view(self->match, (pyr_seat)seat, view);
    return true;
}

static PyObject *match_observation(PyObject *object, PyObject *seat)
{
    struct match *self = (struct match *)object;
    struct pyr_view view;
    uint8_t row[PYR_ENV_OBSERVATION];
    if (!look(self, seat, &view))
        return NULL;
    pyr_env_view(env_of(self), &view, row, NULL);
    return PyBytes_FromStringAndSize((char *)row, sizeof row);
}

static bool may_act(const struct match *self, pyr_seat seat)
{
    return pyr_match_waiting(self->match) >> seat & 1;
}

static PyObject *match_mask(PyObject *object, PyObject *seat)
{
    struct match *self = (struct match *)object;
    struct pyr_view view;
    uint8_t row[PYR_ENV_ACTIONS] = { 0 };
    if (!look(self, seat, &view))
        return NULL;
    if (may_act(self, view.seat))
        pyr_env_view(env_of(self), &view, NULL, row);
    return PyBytes_FromStringAndSize((char *)row, sizeof row);
}

/* Acting. */

static PyObject *match_apply(PyObject *object, PyObject *args)
{
    struct match *self = (struct match *)object;
    struct pyr_view view;
    PyObject *number, *which;
    pyr_step step;
    if (!PyArg_ParseTuple(args, "OO", &number, &which) || !look(self, number, &view))
        return NULL;
    Py_ssize_t action = PyNumber_AsSsize_t(which, NULL);         /* a larger number is just as illegal */
    if (action == -1 && PyErr_Occurred())
        return NULL;
    enum pyr_err err = may_act(self, view.seat) ? PYR_OK : PYR_ERR_NOT_DUE;
    if (!err)
        err = action < 0 || action >= PYR_ENV_ACTIONS ? PYR_ERR_STEP
            : pyr_env_action_step(&printed(self)->box, &view, (int32_t)action, &step);
    if (!err)
        err = pyr_match_step(self->match, view.seat, step);
    if (!err)
        err = settle(self, view.seat);
    if (err)
        return raise_illegal(module_of(object), err, view.open.phase, -1, (long)action);
    Py_RETURN_NONE;
}

static PyObject *match_choose(PyObject *object, PyObject *args)
{
    struct match *self = (struct match *)object;
    struct pyr_view view;
    PyObject *number;
    const char *text;
    struct pyr_fault fault;
    if (!PyArg_ParseTuple(args, "Os", &number, &text) || !look(self, number, &view))
        return NULL;
    if (!may_act(self, view.seat))
        return raise_illegal(module_of(object), PYR_ERR_NOT_DUE, view.open.phase, -1, -1);
    if (pyr_match_choose(self->match, view.seat, text, &fault))
        return raise_fault(module_of(object), &fault);
    enum pyr_err err = settle(self, view.seat);
    if (err)
        return raise_illegal(module_of(object), err, view.open.phase, -1, -1);
    Py_RETURN_NONE;
}

static PyObject *match_score(PyObject *object, PyObject *number)
{
    struct match *self = (struct match *)object;
    const struct pyr_table *open = &self->match->replay.state.open;
    int seat = seat_of(number, self->match->replay.seats);
    if (seat < 0)
        return NULL;
    struct pyr_score s = pyr_table_score(open, &printed(self)->box, (pyr_seat)seat);
    return Py_BuildValue("(iiiiii)", s.total, s.pyramids, s.torches, s.points, s.gems, s.skulls);
}

static PyObject *match_winners(PyObject *object, void *which)
{
    const struct match *self = (struct match *)object;
    (void)which;
    return PyLong_FromLong(pyr_match_is_over(self->match)
        ? (long)pyr_table_winners(&self->match->replay.state.open, &printed(self)->box) : 0);
}

static PyObject *match_waiting(PyObject *object, void *which)
{
    (void)which;
    return PyLong_FromLong((long)pyr_match_waiting(((struct match *)object)->match));
}

static PyObject *match_over(PyObject *object, void *which)
{
    (void)which;
    return PyBool_FromLong(pyr_match_is_over(((struct match *)object)->match));
}

static PyObject *match_players(PyObject *object, void *which)
{
    (void)which;
    return PyLong_FromLong(((struct match *)object)->match->replay.seats);
}

static PyObject *match_edition(PyObject *object, void *which)
{
    (void)which;
    return Py_NewRef(((struct match *)object)->edition);
}

static PyObject *match_record(PyObject *object, void *which)
{
    const struct pyr_log *log = &((struct match *)object)->match->log;
    (void)which;
    return PyUnicode_FromStringAndSize(log->text, (Py_ssize_t)log->start[log->lines]);
}

static PyObject *match_tag(PyObject *object, PyObject *args)
{
    const char *name, *value;
    if (!PyArg_ParseTuple(args, "ss", &name, &value))
        return NULL;
    enum pyr_err err = pyr_match_tag(((struct match *)object)->match, name, value);
    if (err)
        return raise_code(module_of(object), err);
    Py_RETURN_NONE;
}

/* Another world that fits what a seat knows. */

/* Makes the choices of a log again. */
static bool repeat_log(struct pyr_match *to, const struct pyr_match *from)
{
    for (uint32_t i = 0; i < from->log.lines; i++) {
        struct pyr_word line = pyr_match_line(from, i);
        struct pyr_lines lines;
        struct pyr_event event;
        pyr_step steps[PYR_MAX_CHOICE];
        pyr_lines_init(&lines, line.at, line.length);
        if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, from->edition, &lines))
            return false;
        if (event.kind != PYR_EVENT_KEEP && event.kind != PYR_EVENT_MARK && event.kind != PYR_EVENT_TAKE &&
            event.kind != PYR_EVENT_DRAW)
            continue;
        unsigned count = pyr_choice_steps(&to->replay.state.open.desk[event.seat], &event, steps);
        for (unsigned k = 0; k < count; k++)
            if (pyr_match_step(to, event.seat, steps[k]))
                return false;
        if (!to->choice[event.seat].confirmed && pyr_match_is_ready(to, event.seat))
            pyr_match_confirm(to, event.seat);
    }
    return true;
}

/* Repeats the seat's own choice so far; others who have confirmed get another one. */
static void repeat_choices(struct pyr_match *to, const struct pyr_match *from, pyr_seat own, struct pyr_rng *rng)
{
    for (unsigned seat = 0; seat < from->replay.seats; seat++) {
        const struct pyr_pending *choice = &from->choice[seat];
        struct pyr_steps steps;
        for (unsigned k = 0; seat == own && k < choice->count; k++)
            pyr_match_step(to, own, pyr_pending_step(choice, k));
        while (seat != own && choice->confirmed && (pyr_match_steps(to, (pyr_seat)seat, &steps), steps.count))
            pyr_match_step(to, (pyr_seat)seat, pyr_steps_pick(&steps, &from->edition->box, rng));
        if (choice->confirmed)
            pyr_match_confirm(to, (pyr_seat)seat);
    }
}

static PyObject *match_sample(PyObject *object, PyObject *args)
{
    struct match *self = (struct match *)object;
    const struct pyr_match *from = self->match;
    PyObject *number, *seed_number;
    char name[PYR_MAX_SEATS][PYR_MAX_PLAYER_NAME + 1];
    const char *names[PYR_MAX_SEATS] = { name[0], name[1], name[2], name[3] };
    struct pyr_word words[PYR_MAX_SEATS];
    struct pyr_view view;
    struct pyr_state state;
    struct pyr_chance chance;
    struct pyr_rng rng;
    uint64_t seed;
    if (!PyArg_ParseTuple(args, "OO", &number, &seed_number) || !look(self, number, &view) ||
        number_of(seed_number, "a seed", &seed))
        return NULL;
    struct match *twin = make(module_of(object), self->edition);
    if (!twin)
        return NULL;
    pyr_rng_seed(&rng, seed, 0);
    pyr_view_sample(&view, &printed(self)->box, &rng, &state);
    sampled_chance(&from->replay.state, &state, &chance);
    unsigned count = pyr_record_player_names(from->log.text, from->log.start[from->log.lines], words);
    for (unsigned i = 0; i < count; i++)
        pyr_word_copy(words[i], name[i], sizeof name[i]);
    enum pyr_err err = pyr_match_init(twin->match, printed(self), from->replay.seats, names, &chance);
    if (!err && !repeat_log(twin->match, from))
        err = PYR_ERR_STATE;
    if (err) {
        Py_DECREF(twin);
        return raise_code(module_of(object), err);
    }
    repeat_choices(twin->match, from, view.seat, &rng);
    return (PyObject *)twin;
}

static PyMethodDef methods[] = {
    { "copy", match_copy, METH_NOARGS, NULL },
    { "hidden", match_hidden, METH_NOARGS, NULL },
    { "observation", match_observation, METH_O, NULL },
    { "mask", match_mask, METH_O, NULL },
    { "apply", match_apply, METH_VARARGS, NULL },
    { "choose", match_choose, METH_VARARGS, NULL },
    { "score", match_score, METH_O, NULL },
    { "tag", match_tag, METH_VARARGS, NULL },
    { "sample", match_sample, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef members[] = {
    { "waiting", match_waiting, NULL, NULL, NULL },
    { "is_over", match_over, NULL, NULL, NULL },
    { "players", match_players, NULL, NULL, NULL },
    { "edition", match_edition, NULL, NULL, NULL },
    { "record", match_record, NULL, NULL, NULL },
    { "winners", match_winners, NULL, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_new, match_new },
    { Py_tp_dealloc, match_dealloc },
    { Py_tp_methods, methods },
    { Py_tp_getset, members },
    { 0, NULL },
};

PyType_Spec match_spec = {
    .name = "pyramids._core.Match", .basicsize = sizeof(struct match),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, .slots = slots,
};
