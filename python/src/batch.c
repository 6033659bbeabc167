/*
 * batch.c: many games at once (env.h of the library): the C side of pyramids.VecEnv. Arrays are the object's own
 * (array.c) or buffers of the caller; both are written in place.
 *
 * Without bots a step is one call of the library without the lock, and either makes all actions or none. With bots it
 * may take long: the actions are checked first, then the games are stepped one after the other, checking for signals
 * between games and while a bot thinks. After Ctrl-C in the middle some games are a step ahead of others, so the
 * batch needs a reset.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "module.h"

enum array_id { OBSERVATION, MASK, CRITIC, TURN, REWARD, DONE, SCORE, ARRAYS };
static const char *const array_names[ARRAYS] = { "observation", "mask", "critic", "turn", "reward", "done", "score" };

/* The actions since a deal. No game has more steps: each marks a space of one of the 48 cards, keeps, takes or passes. */
#define MOST_STEPS 1400

struct trail {
    struct pyr_chance chance;
    uint32_t count;
    bool is_known;               /* since its deal */
    uint8_t seat[MOST_STEPS];
    pyr_step step[MOST_STEPS];
};

/* A bot for the environment: it wraps the real one, so that Ctrl-C can end it. */
struct player {
    struct pyr_bot shown;
    const struct pyr_bot *bot;
    void *memory;                /* of the real one; bots with the same tables share it */
    const struct batch *batch;
};

struct batch {
    PyObject_HEAD
    PyObject *edition;
    struct pyr_env env;
    struct pyr_env_game *games;
    size_t count, rows;          /* games; games, or games times seats if all act at once */
    int32_t *action;             /* of the present step */
    struct pyr_env_arrays arrays;
    PyObject *array[ARRAYS];     /* Array objects, or those of the caller */
    Py_buffer outside[ARRAYS];   /* buffers of the caller; obj is NULL otherwise */
    struct trail *trail;         /* two per game: the present one and the one before; NULL: not kept */
    uint8_t *which;              /* per game: which of them is the present one */
    struct pyr_rng rng;          /* for random actions */
    struct player player[PYR_MAX_SEATS];
    struct patience *patience;   /* of the present call, or NULL */
    bool busy, is_closed, is_ready;
};

static size_t width_of(const struct batch *b, enum array_id id)
{
    switch (id) {
    case OBSERVATION:
        return PYR_ENV_OBSERVATION;
    case MASK:
        return PYR_ENV_ACTIONS;
    case CRITIC:
        return PYR_ENV_CRITIC;
    case REWARD:
    case SCORE:
        return b->env.options.seats;
    default:
        return 1;
    }
}

static size_t rows_of(const struct batch *b, enum array_id id)
{
    return id <= CRITIC ? b->rows : b->count;
}

static size_t item_of(enum array_id id)
{
    return id == REWARD || id == SCORE ? 4 : 1;
}

/* Records. */

static struct trail *trail_of(const struct batch *b, size_t at, unsigned past)
{
    return &b->trail[2 * at + (b->which[at] ^ past)];
}

static void trace(void *context, const struct pyr_env_game *game, pyr_seat seat, pyr_step step)
{
    struct batch *b = context;
    size_t at = (size_t)(game - b->games);
    if (seat == PYR_NOBODY) {
        b->which[at] ^= 1;
        struct trail *trail = trail_of(b, at, 0);
        trail->chance = game->state.hidden;
        trail->count = 0;
        trail->is_known = true;
        return;
    }
    struct trail *trail = trail_of(b, at, 0);
    if (trail->count == MOST_STEPS)
        trail->is_known = false;
    if (!trail->is_known)
        return;
    trail->seat[trail->count] = seat;
    trail->step[trail->count++] = step;
}

/* Setting up. */

static void point_array(struct batch *b, enum array_id id, void *data)
{
    struct pyr_env_arrays *a = &b->arrays;
    size_t size = rows_of(b, id) * width_of(b, id) * item_of(id);
    switch (id) {
    case OBSERVATION:
        a->observation = data;
        a->observation_size = size;
        break;
    case MASK:
        a->mask = data;
        a->mask_size = size;
        break;
    case CRITIC:
        a->critic = data;
        a->critic_size = size;
        break;
    case TURN:
        a->turn = data;
        a->turn_size = size;
        break;
    case REWARD:
        a->reward = data;
        a->reward_size = size;
        break;
    case DONE:
        a->done = data;
        a->done_size = size;
        break;
    default:
        a->score = data;
        a->score_size = size;
        break;
    }
}

/* Whether an array overlaps one that was taken before. */
static bool overlaps(const struct batch *b, enum array_id id)
{
    uintptr_t begin = (uintptr_t)b->outside[id].buf, end = begin + (size_t)b->outside[id].len;
    for (unsigned other = 0; other < id; other++) {
        uintptr_t there = (uintptr_t)b->outside[other].buf;
        if (b->outside[other].obj && begin < there + (size_t)b->outside[other].len && there < end)
            return true;
    }
    return false;
}

/* Takes a buffer of the caller: writable, contiguous, aligned, of the right type and size, and separate from the others. */
static bool take_buffer(struct batch *b, enum array_id id, PyObject *object)
{
    static const char *const formats[ARRAYS] = { "B", "B", "B", "B", "f", "?B", "il" };
    Py_buffer *view = &b->outside[id];
    size_t size = rows_of(b, id) * width_of(b, id) * item_of(id);
    if (PyObject_GetBuffer(object, view, PyBUF_ND | PyBUF_WRITABLE | PyBUF_FORMAT)) {
        view->obj = NULL;
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            return false;
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "the buffer '%s' must be writable and contiguous", array_names[id]);
        return false;
    }
    const char *format = view->format ? view->format : "B";
    format += strchr("@=<", *format) && *format;
    if (!strchr(formats[id], *format) || format[1] || (size_t)view->itemsize != item_of(id)) {
        PyErr_Format(PyExc_ValueError, "the buffer '%s' has items of type '%s'; it needs '%c'", array_names[id], format,
            formats[id][0]);
        return false;
    }
    if ((size_t)view->len != size) {
        PyErr_Format(PyExc_ValueError, "the buffer '%s' has %zd bytes; it needs %zu: %zu rows of %zu", array_names[id],
            view->len, size, rows_of(b, id), width_of(b, id));
        return false;
    }
    bool is_aligned = (uintptr_t)view->buf % item_of(id) == 0;
    if (!is_aligned || overlaps(b, id)) {
        PyErr_Format(PyExc_ValueError, is_aligned ? "the buffer '%s' overlaps another one"
            : "the buffer '%s' is not aligned to its items", array_names[id]);
        return false;
    }
    b->array[id] = Py_NewRef(object);
    point_array(b, id, view->buf);
    return true;
}

static bool make_array(struct batch *b, struct module *module, enum array_id id)
{
    static const char *const formats[ARRAYS] = { "B", "B", "B", "B", "f", "?", "i" };
    size_t width = width_of(b, id);
    b->array[id] = array_new(module, formats[id], item_of(id), rows_of(b, id), id == TURN || id == DONE ? 0 : width);
    if (b->array[id])
        point_array(b, id, array_data(b->array[id]));
    return b->array[id] != NULL;
}

static bool make_arrays(struct batch *b, struct module *module, PyObject *buffers, bool critic)
{
    Py_ssize_t used = 0;
    for (unsigned id = 0; id < ARRAYS; id++) {
        PyObject *given = buffers == Py_None ? NULL : PyDict_GetItemString(buffers, array_names[id]);
        used += given != NULL;
        if (given ? !take_buffer(b, id, given) : (id != CRITIC || critic) && !make_array(b, module, id))
            return false;
    }
    if (buffers != Py_None && used != PyDict_Size(buffers)) {
        PyErr_SetString(PyExc_ValueError,
            "unknown buffer; choose from: observation, mask, critic, turn, reward, done, score");
        return false;
    }
    return true;
}

/* pyr_bot.choose */
static pyr_step choose(void *memory, const struct pyr_box *box, const struct pyr_view *view, struct pyr_rng *rng,
    const struct pyr_budget *budget)
{
    const struct player *player = memory;
    struct patience *patience = player->batch->patience;
    const struct pyr_budget own = { budget->nodes, patience ? patience_is_over : NULL, patience };
    return player->bot->choose(player->memory, box, view, rng, &own);
}

static bool make_bots(struct batch *b, struct pyr_env_options *options, const struct pyr_box *box, PyObject *names)
{
    for (Py_ssize_t seat = 0; seat < PyTuple_Size(names); seat++) {
        PyObject *object = PyTuple_GetItem(names, seat);
        if (object == Py_None)
            continue;
        const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
        const struct pyr_bot *bot = name ? pyr_bot_find(name) : NULL;
        if (!bot) {
            if (name)
                PyErr_Format(PyExc_ValueError, "unknown bot '%s'; pyramids.bots.names lists them", name);
            return false;
        }
        size_t size = bot->memory ? bot->memory(box) : 0;
        struct player *player = &b->player[seat];
        *player = (struct player){ .shown = { .name = bot->name, .choose = choose }, .bot = bot, .batch = b };
        options->bot[seat] = &player->shown;
        options->bot_memory[seat] = player;
        for (const struct player *other = b->player; size && other < player; other++)
            if (other->bot && other->bot->prepare == bot->prepare && other->bot->memory == bot->memory)
                player->memory = other->memory;
        if (size && !player->memory) {
            if (!(player->memory = memory_get(size)))
                return false;
            Py_BEGIN_ALLOW_THREADS
            if (bot->prepare)
                bot->prepare(player->memory, box);
            Py_END_ALLOW_THREADS
        }
    }
    return true;
}

static void free_bots(struct batch *b)
{
    for (unsigned seat = 0; seat < PYR_MAX_SEATS; seat++) {
        bool is_shared = false;
        for (unsigned s = 0; s < seat; s++)
            is_shared |= b->player[s].memory == b->player[seat].memory;
        if (!is_shared)
            free(b->player[seat].memory);
    }
    memset(b->player, 0, sizeof b->player);
}

static void release(struct batch *b)
{
    for (unsigned id = 0; id < ARRAYS; id++) {
        Py_CLEAR(b->array[id]);
        if (b->outside[id].obj)
            PyBuffer_Release(&b->outside[id]);
    }
    free_bots(b);
    free(b->games);
    free(b->action);
    free(b->trail);
    free(b->which);
    b->games = NULL;
    b->action = NULL;
    b->trail = NULL;
    b->which = NULL;
    b->is_closed = true;
}

static bool make_games(struct batch *b, bool record)
{
    b->games = memory_get(b->count * sizeof *b->games);
    b->action = b->games ? memory_get(b->rows * sizeof *b->action) : NULL;
    if (!b->action)
        return false;
    b->arrays.action = b->action;
    b->arrays.action_size = b->rows * sizeof *b->action;
    if (!record)
        return true;
    b->trail = memory_get(2 * b->count * sizeof *b->trail);
    b->which = b->trail ? memory_get(b->count) : NULL;
    b->arrays.trace = trace;
    b->arrays.context = b;
    return b->which != NULL;
}

/* Whether the machine has enough memory for the games and their arrays. Memory that the system promises but does not
 * have would end the interpreter when it is first written to. */
static bool has_room(const struct batch *b, unsigned seats, bool critic, bool record)
{
    double game = (double)sizeof *b->games + 2 + 2.0 * seats * sizeof(float) + (record ? 2.0 * sizeof *b->trail + 1 : 0);
    double row = sizeof *b->action + PYR_ENV_OBSERVATION + PYR_ENV_ACTIONS + (critic ? PYR_ENV_CRITIC : 0);
    double need = (double)b->count * game + (double)b->rows * row;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0 || need <= (double)pages * (double)page)
        return true;
    PyErr_Format(PyExc_MemoryError, "%zu games take %llu bytes, more than this machine has", b->count,
        (unsigned long long)need);
    return false;
}

/* Batch(edition, players, games, reward, flags, bots, nodes, critic, record, buffers, seed) */
static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct module *module = PyType_GetModuleState(type);
    PyObject *edition, *bots, *nodes, *buffers, *seed_number;
    struct pyr_env_options options = { 0 };
    Py_ssize_t count;
    int players, reward, flags, critic, record;
    uint64_t seed;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OiniiO!OppOO", &edition, &players, &count, &reward, &flags, &PyTuple_Type, &bots, &nodes,
        &critic, &record, &buffers, &seed_number) || !edition_of(module, edition) ||
        number_of(nodes, "bot_nodes", &options.bot_nodes) || number_of(seed_number, "a seed", &seed))
        return NULL;
    if (buffers != Py_None && !PyDict_Check(buffers))
        return PyErr_Format(PyExc_TypeError, "buffers must be a dict from names to buffers");
    if (players < 2 || players > PYR_MAX_SEATS)
        return raise_code(module, PYR_ERR_SEATS);
    if (count < 1 || count > PY_SSIZE_T_MAX / (1 << 20))
        return PyErr_Format(PyExc_ValueError, count < 1 ? "%zd games; there must be at least one"
            : "%zd games are more than any memory has room for", count);
    if (PyTuple_Size(bots) != players)
        return PyErr_Format(PyExc_ValueError, "%zd seats for %d players", PyTuple_Size(bots), players);
    options.seats = (uint8_t)players;
    options.reward = (uint8_t)reward;
    options.flags = (uint8_t)flags;
    struct batch *b = (struct batch *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!b)
        return NULL;
    b->edition = Py_NewRef(edition);
    b->count = (size_t)count;
    b->rows = b->count * (size_t)(flags & PYR_ENV_PARALLEL ? players : 1);
    pyr_rng_seed(&b->rng, seed, 1);
    const struct pyr_box *box = &((struct edition *)edition)->edition->box;
    bool fine = has_room(b, options.seats, critic, record) && make_bots(b, &options, box, bots);
    enum pyr_err err = fine ? pyr_env_init(&b->env, box, &options) : PYR_OK;
    if (err)
        raise_code(module, err);
    if (!fine || err || !make_arrays(b, module, buffers, critic) || !make_games(b, record)) {
        Py_DECREF(b);
        return NULL;
    }
    return (PyObject *)b;
}

static void batch_dealloc(PyObject *object)
{
    struct batch *b = (struct batch *)object;
    PyTypeObject *type = Py_TYPE(object);
    release(b);
    Py_XDECREF(b->edition);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *batch_close(PyObject *object, PyObject *none)
{
    struct batch *b = (struct batch *)object;
    (void)none;
    if (b->busy)
        return raise_busy("environment");
    release(b);
    Py_RETURN_NONE;
}

/* Whether calls are allowed now; otherwise sets an exception. */
static bool is_usable(struct batch *b, bool needs_games)
{
    if (b->is_closed) {
        PyErr_SetString(module_of((PyObject *)b)->closed, "the environment is closed");
        return false;
    }
    if (b->busy) {
        raise_busy("environment");
        return false;
    }
    if (needs_games && !b->is_ready) {
        PyErr_SetString(PyExc_RuntimeError, "call reset first: no games have been dealt, or a step was interrupted");
        return false;
    }
    return true;
}

/* The arrays of one game. */
static struct pyr_env_arrays slice(const struct batch *b, size_t at)
{
    struct pyr_env_arrays a = b->arrays;
    size_t seats = b->env.options.seats, wide = b->rows / b->count;
    a.action += at * wide;
    a.action_size = wide * sizeof *a.action;
    a.observation += at * wide * PYR_ENV_OBSERVATION;
    a.observation_size = wide * PYR_ENV_OBSERVATION;
    a.mask += at * wide * PYR_ENV_ACTIONS;
    a.mask_size = wide * PYR_ENV_ACTIONS;
    if (a.critic) {
        a.critic += at * wide * PYR_ENV_CRITIC;
        a.critic_size = wide * PYR_ENV_CRITIC;
    }
    a.turn += at;
    a.turn_size = 1;
    a.reward += at * seats;
    a.reward_size = seats * sizeof *a.reward;
    a.done += at;
    a.done_size = 1;
    a.score += at * seats;
    a.score_size = seats * sizeof *a.score;
    return a;
}

/* Playing. */

static bool read_seeds(const struct batch *b, PyObject *object, uint64_t *seed)
{
    Py_ssize_t size = PySequence_Size(object);
    if (size < 0)
        return false;
    if ((size_t)size != b->count) {
        PyErr_Format(PyExc_ValueError, "%zd seeds for %zu games", size, b->count);
        return false;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *number = PySequence_GetItem(object, i);
        int err = number ? number_of(number, "a seed", &seed[i]) : -1;
        Py_XDECREF(number);
        if (err)
            return false;
    }
    return true;
}

static PyObject *batch_reset(PyObject *object, PyObject *seeds)
{
    struct batch *b = (struct batch *)object;
    struct patience patience;
    uint64_t *seed = is_usable(b, false) ? memory_get(b->count * sizeof *seed) : NULL;
    if (!seed || !read_seeds(b, seeds, seed) || !is_usable(b, false)) {
        free(seed);
        return NULL;
    }
    b->busy = true;
    b->patience = &patience;
    Py_INCREF(object);
    patience_begin(&patience);
    for (size_t at = 0; b->trail && at < 2 * b->count; at++)
        b->trail[at].is_known = false;
    if (!b->env.bots)
        pyr_env_reset(&b->env, b->games, b->count, seed, &b->arrays);
    for (size_t at = 0; b->env.bots && at < b->count && !patience_is_over(&patience); at++) {
        struct pyr_env_arrays arrays = slice(b, at);
        pyr_env_reset(&b->env, b->games + at, 1, seed + at, &arrays);
    }
    b->is_ready = patience_end(&patience);
    b->patience = NULL;
    b->busy = false;
    free(seed);
    bool fine = b->is_ready;
    Py_DECREF(object);
    return fine ? Py_NewRef(Py_None) : NULL;
}

/* A whole number in memory; -1 if it is out of the range of actions. */
static int32_t number_at(const char *at, bool is_signed, Py_ssize_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)size);
    if (is_signed && size < 8 && bits >> (size * 8 - 1))
        return -1;
    return bits < PYR_ENV_ACTIONS ? (int32_t)bits : -1;
}

/* The usual kinds: numbers of 32 and 64 bits without gaps. A negative one becomes a large unsigned one. */
static void read_packed(int32_t *to, const void *from, Py_ssize_t size, size_t count)
{
    const uint32_t *narrow = from;
    const uint64_t *wide = from;
    for (size_t i = 0; size == 4 && i < count; i++)
        to[i] = narrow[i] < PYR_ENV_ACTIONS ? (int32_t)narrow[i] : -1;
    for (size_t i = 0; size == 8 && i < count; i++)
        to[i] = wide[i] < PYR_ENV_ACTIONS ? (int32_t)wide[i] : -1;
}

static bool read_buffer(struct batch *b, const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    size_t wide = b->rows / b->count;
    format += strchr("@=<", *format) && *format;
    if (!strchr("bBhHiIlLqQnN", *format) || format[1] || view->itemsize > 8) {
        PyErr_Format(PyExc_TypeError, "actions must be whole numbers, not of type '%s'", format);
        return false;
    }
    bool is_flat = view->ndim == 1 && (size_t)view->shape[0] == b->rows;
    bool is_table = view->ndim == 2 && (size_t)view->shape[0] == b->count && (size_t)view->shape[1] == wide;
    if (!is_flat && !is_table) {
        PyErr_Format(PyExc_ValueError, wide > 1 ? "actions have the wrong shape; it must be (%zu,) or (%zu, %zu)"
            : "actions have the wrong shape; it must be (%zu,)", b->rows, b->count, wide);
        return false;
    }
    bool is_signed = strchr("bhilqn", *format) != NULL, is_aligned = (uintptr_t)view->buf % (size_t)view->itemsize == 0;
    if (is_flat && is_aligned && view->itemsize >= 4 && view->strides[0] == view->itemsize) {
        read_packed(b->action, view->buf, view->itemsize, b->rows);
        return true;
    }
    for (size_t i = 0; i < b->rows; i++) {
        const char *at = view->buf;
        at += is_flat ? (Py_ssize_t)i * view->strides[0]
            : (Py_ssize_t)(i / wide) * view->strides[0] + (Py_ssize_t)(i % wide) * view->strides[1];
        b->action[i] = number_at(at, is_signed, view->itemsize);
    }
    return true;
}

static bool read_list(struct batch *b, PyObject *object)
{
    Py_ssize_t size = PySequence_Size(object);
    if (size < 0)
        return false;
    if ((size_t)size != b->rows) {
        PyErr_Format(PyExc_ValueError, "%zd actions; there must be %zu", size, b->rows);
        return false;
    }
    int32_t *action = memory_get(b->rows * sizeof *action);
    bool fine = action != NULL;
    for (Py_ssize_t i = 0; fine && i < size; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        Py_ssize_t number = item ? PyNumber_AsSsize_t(item, NULL) : -1;
        Py_XDECREF(item);
        fine = number != -1 || !PyErr_Occurred();
        action[i] = number >= 0 && number < PYR_ENV_ACTIONS ? (int32_t)number : -1;
    }
    /* Reading may have run code that closed the environment. */
    if (fine && is_usable(b, true))
        memcpy(b->action, action, b->rows * sizeof *action);
    free(action);
    return fine && !PyErr_Occurred();
}

static bool read_actions(struct batch *b, PyObject *object)
{
    Py_buffer view;
    if (!PyObject_CheckBuffer(object))
        return read_list(b, object);
    if (PyObject_GetBuffer(object, &view, PyBUF_RECORDS_RO))
        return false;
    bool fine = is_usable(b, true) && read_buffer(b, &view);
    PyBuffer_Release(&view);
    return fine && is_usable(b, true);
}

/* Steps games with bots, one after the other; the actions have been checked. */
static bool step_with_bots(struct batch *b, struct patience *patience)
{
    for (size_t at = 0; at < b->count; at++) {
        struct pyr_env_arrays arrays = slice(b, at);
        pyr_env_step(&b->env, b->games + at, 1, &arrays, NULL);
        if (patience_is_over(patience))
            return false;
    }
    return true;
}

/* step(actions) -> whether a game has ended */
static PyObject *batch_step(PyObject *object, PyObject *actions)
{
    struct batch *b = (struct batch *)object;
    struct patience patience;
    size_t row = 0;
    bool fine = true;
    if (!is_usable(b, true) || !read_actions(b, actions))
        return NULL;
    b->busy = true;
    b->patience = &patience;
    Py_INCREF(object);
    patience_begin(&patience);
    enum pyr_err err = b->env.bots ? pyr_env_check(&b->env, b->games, b->count, &b->arrays, &row)
        : pyr_env_step(&b->env, b->games, b->count, &b->arrays, &row);
    if (!err && b->env.bots)
        fine = step_with_bots(b, &patience);
    PyEval_RestoreThread(patience.thread);
    b->patience = NULL;
    b->is_ready = fine;
    b->busy = false;
    if (err)
        raise_illegal(module_of(object), err, b->games[row / (b->rows / b->count)].state.open.phase, (Py_ssize_t)row,
            b->action[row]);
    bool has_ended = !err && fine && memchr(b->arrays.done, 1, b->count) != NULL;
    Py_DECREF(object);
    return err || !fine ? NULL : PyBool_FromLong(has_ended);
}

/* Random legal actions from the present masks, written into an array. */
static PyObject *batch_pick(PyObject *object, PyObject *none)
{
    struct batch *b = (struct batch *)object;
    (void)none;
    if (!is_usable(b, true))
        return NULL;
    PyObject *array = array_new(module_of(object), "i", sizeof(int32_t), b->rows, 0);
    if (!array)
        return NULL;
    int32_t *action = array_data(array);
    for (size_t i = 0; i < b->rows; i++)
        action[i] = pyr_env_pick(b->arrays.mask + i * PYR_ENV_ACTIONS, &b->rng);
    return array;
}

static PyObject *batch_seed_actions(PyObject *object, PyObject *number)
{
    uint64_t seed;
    if (number_of(number, "a seed", &seed) || !is_usable((struct batch *)object, false))
        return NULL;
    pyr_rng_seed(&((struct batch *)object)->rng, seed, 1);
    Py_RETURN_NONE;
}

/* Single games. */

static bool read_index(struct batch *b, Py_ssize_t index)
{
    if (index >= 0 && (size_t)index < b->count)
        return true;
    PyErr_Format(PyExc_IndexError, "game %zd does not exist; they are 0 to %zu", index, b->count - 1);
    return false;
}

static PyObject *batch_look(PyObject *object, PyObject *args)
{
    struct batch *b = (struct batch *)object;
    uint8_t observation[PYR_ENV_OBSERVATION], mask[PYR_ENV_ACTIONS], critic[PYR_ENV_CRITIC];
    PyObject *number;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "nO", &at, &number) || !is_usable(b, true) || !read_index(b, at))
        return NULL;
    int seat = seat_of(number, b->env.options.seats);
    if (seat < 0)
        return NULL;
    pyr_env_look(&b->env, &b->games[at], (pyr_seat)seat, observation, mask, critic);
    return Py_BuildValue("(y#y#y#)", observation, (Py_ssize_t)sizeof observation, mask, (Py_ssize_t)sizeof mask, critic,
        (Py_ssize_t)sizeof critic);
}

static PyObject *batch_deal(PyObject *object, PyObject *args)
{
    struct batch *b = (struct batch *)object;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "n", &at) || !is_usable(b, true) || !read_index(b, at))
        return NULL;
    return Py_BuildValue("(KK)", (unsigned long long)b->games[at].seed, (unsigned long long)b->games[at].episode);
}

static PyObject *batch_save(PyObject *object, PyObject *args)
{
    struct batch *b = (struct batch *)object;
    uint8_t saved[PYR_ENV_SAVED];
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "n", &at) || !is_usable(b, true) || !read_index(b, at))
        return NULL;
    pyr_env_save(&b->env, &b->games[at], saved, sizeof saved);
    return PyBytes_FromStringAndSize((char *)saved, sizeof saved);
}

/* Loads a saved game at an index and writes its rows. */
static enum pyr_err put(struct batch *b, size_t at, const uint8_t *saved, size_t size)
{
    enum pyr_err err = pyr_env_load(&b->env, &b->games[at], saved, size);
    if (err)
        return err;
    struct pyr_env_arrays arrays = slice(b, at);
    pyr_env_observe(&b->env, &b->games[at], 1, &arrays);
    if (b->trail)
        trail_of(b, at, 0)->is_known = false;        /* its earlier actions are not known */
    return PYR_OK;
}

static PyObject *batch_load(PyObject *object, PyObject *args)
{
    struct batch *b = (struct batch *)object;
    Py_buffer saved;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "ny*", &at, &saved))
        return NULL;
    bool fine = is_usable(b, true) && read_index(b, at);
    enum pyr_err err = fine ? put(b, (size_t)at, saved.buf, (size_t)saved.len) : PYR_OK;
    PyBuffer_Release(&saved);
    if (!fine)
        return NULL;
    if (err)
        return raise_code(module_of(object), err);
    Py_RETURN_NONE;
}

/* Replaces the present world by another one that fits what a seat knows. */
static PyObject *batch_sample(PyObject *object, PyObject *args)
{
    enum { STATE = 16 };         /* offset of the state in a saved game */
    struct batch *b = (struct batch *)object;
    PyObject *number, *seed_number;
    uint8_t saved[PYR_ENV_SAVED];
    struct pyr_view view;
    struct pyr_state state;
    struct pyr_rng rng;
    uint64_t seed;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "nOO", &at, &number, &seed_number) || !is_usable(b, true) || !read_index(b, at) ||
        number_of(seed_number, "a seed", &seed))
        return NULL;
    int seat = seat_of(number, b->env.options.seats);
    if (seat < 0)
        return NULL;
    const struct pyr_state *truth = &b->games[at].state;
    pyr_rng_seed(&rng, seed, 0);
    pyr_view_init(&view, truth, (pyr_seat)seat);
    pyr_view_sample(&view, b->env.box, &rng, &state);
    if (truth->open.phase != PYR_KEEP) {
        unsigned top = pyr_deck_top(truth), end = top + truth->open.deck_left;
        memcpy(state.hidden.deck, truth->hidden.deck, top);
        memcpy(state.hidden.deck + end, truth->hidden.deck + end, PYR_CARDS - end);
    }
    memcpy(state.hidden.expedition, truth->hidden.expedition, truth->open.round * sizeof *state.hidden.expedition);
    pyr_env_save(&b->env, &b->games[at], saved, sizeof saved);
    memcpy(saved + STATE, &state, sizeof state);
    enum pyr_err err = put(b, (size_t)at, saved, sizeof saved);
    if (err)
        return raise_code(module_of(object), err);
    Py_RETURN_NONE;
}

/* record(game, past) -> text, or None if it is not known */
static PyObject *batch_record(PyObject *object, PyObject *args)
{
    static const char *const names[PYR_MAX_SEATS] = { "player_0", "player_1", "player_2", "player_3" };
    struct batch *b = (struct batch *)object;
    Py_ssize_t at;
    int past;
    if (!PyArg_ParseTuple(args, "np", &at, &past) || !is_usable(b, true) || !read_index(b, at))
        return NULL;
    if (!b->trail)
        return PyErr_Format(PyExc_ValueError, "this environment keeps no records; make it with record=True");
    const struct trail *trail = trail_of(b, (size_t)at, past != 0);
    if (!trail->is_known)
        Py_RETURN_NONE;
    struct pyr_match *match = memory_get(sizeof *match);
    if (!match)
        return NULL;
    enum pyr_err err = pyr_match_init(match, ((struct edition *)b->edition)->edition, b->env.options.seats, names,
        &trail->chance);
    for (uint32_t i = 0; !err && i < trail->count; i++) {
        pyr_seat seat = trail->seat[i];
        err = pyr_match_step(match, seat, trail->step[i]);
        if (!err && !match->choice[seat].confirmed && pyr_match_is_ready(match, seat))
            err = pyr_match_confirm(match, seat);
    }
    PyObject *text = err ? raise_code(module_of(object), err)
        : PyUnicode_FromStringAndSize(match->log.text, (Py_ssize_t)match->log.start[match->log.lines]);
    free(match);
    return text;
}

static PyObject *batch_array(PyObject *object, PyObject *name)
{
    struct batch *b = (struct batch *)object;
    if (!is_usable(b, false))
        return NULL;
    for (unsigned id = 0; id < ARRAYS; id++)
        if (PyUnicode_CompareWithASCIIString(name, array_names[id]) == 0)
            return Py_NewRef(b->array[id] ? b->array[id] : Py_None);
    return PyErr_Format(PyExc_KeyError, "no array of that name");
}

/* The rewards of one seat, without a copy. */
static PyObject *batch_rewards_of(PyObject *object, PyObject *number)
{
    struct batch *b = (struct batch *)object;
    int seat = is_usable(b, false) ? seat_of(number, b->env.options.seats) : -1;
    if (seat < 0)
        return NULL;
    if (b->outside[REWARD].obj)
        Py_RETURN_NONE;
    return array_column(module_of(object), b->array[REWARD], (size_t)seat);
}

static PyMethodDef methods[] = {
    { "close", batch_close, METH_NOARGS, NULL },
    { "reset", batch_reset, METH_O, NULL },
    { "step", batch_step, METH_O, NULL },
    { "pick", batch_pick, METH_NOARGS, NULL },
    { "seed_actions", batch_seed_actions, METH_O, NULL },
    { "look", batch_look, METH_VARARGS, NULL },
    { "deal", batch_deal, METH_VARARGS, NULL },
    { "save", batch_save, METH_VARARGS, NULL },
    { "load", batch_load, METH_VARARGS, NULL },
    { "sample", batch_sample, METH_VARARGS, NULL },
    { "record", batch_record, METH_VARARGS, NULL },
    { "array", batch_array, METH_O, NULL },
    { "rewards_of", batch_rewards_of, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_new, batch_new },
    { Py_tp_dealloc, batch_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec batch_spec = {
    .name = "pyramids._core.Batch", .basicsize = sizeof(struct batch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, .slots = slots,
};

/* Speed. */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* speed(batch, steps) -> seconds of processor time that the library alone takes for so many steps with random actions,
 * for comparison with Python's own steps. Leaves the games where they stopped. */
PyObject *core_speed(PyObject *self, PyObject *args)
{
    struct module *module = PyModule_GetState(self);
    PyObject *object;
    unsigned steps;
    double seconds = 0;
    if (!PyArg_ParseTuple(args, "O!I", (PyTypeObject *)module->batch, &object, &steps))
        return NULL;
    struct batch *b = (struct batch *)object;
    if (!is_usable(b, true))
        return NULL;
    b->busy = true;
    Py_INCREF(object);
    Py_BEGIN_ALLOW_THREADS
    for (unsigned s = 0; s < steps; s++) {
        for (size_t i = 0; i < b->rows; i++)
            b->action[i] = pyr_env_pick(b->arrays.mask + i * PYR_ENV_ACTIONS, &b->rng);
        double start = processor_seconds();
        pyr_env_step(&b->env, b->games, b->count, &b->arrays, NULL);
        seconds += processor_seconds() - start;
    }
    Py_END_ALLOW_THREADS
    b->busy = false;
    Py_DECREF(object);
    return PyFloat_FromDouble(seconds);
}
