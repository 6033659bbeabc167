/*
 * think.c: a thread in which bots think, so that the screen stays responsive; see think.h. One question at a time.
 *
 * States, all under the lock: RESTS -> ASKED -> THINKS -> ANSWERED -> RESTS; ENDS from anywhere. The main thread asks and
 * takes the answer; the thread goes from ASKED to THINKS to ANSWERED. A question can be withdrawn (stop), which the bot
 * notices between playouts.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "think.h"

/* More than there are levels. */
#define MOST_BOTS 16

struct thinker {
    const struct pyr_box *box;
    void (*done)(void);          /* called from the thread when there is an answer */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;       /* of state */
    enum { RESTS, ASKED, THINKS, ANSWERED, ENDS } state;
    bool stop;                   /* the question is withdrawn */
    const struct pyr_bot *bot;
    struct pyr_view view;
    struct pyr_rng rng;
    pyr_step step;
    struct {
        const struct pyr_bot *bot;
        void *memory;
    } known[MOST_BOTS];          /* used by the thread only: tables are made once per bot */
};

/* The bot's budget: called between playouts. */
static bool is_stopped(void *context)
{
    struct thinker *thinker = context;
    pthread_mutex_lock(&thinker->lock);
    bool stopped = thinker->stop || thinker->state == ENDS;
    pthread_mutex_unlock(&thinker->lock);
    return stopped;
}

/* Called only by the thread, without the lock, since preparing takes a while. False without memory. */
static bool memory_for(struct thinker *thinker, const struct pyr_bot *bot, void **memory)
{
    size_t size = bot->memory(thinker->box);
    *memory = NULL;
    if (!size)
        return true;
    for (unsigned i = 0; i < MOST_BOTS; i++) {
        if (thinker->known[i].bot == bot) {
            *memory = thinker->known[i].memory;
            return true;
        }
        if (thinker->known[i].bot)
            continue;
        *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        if (!*memory)
            return false;
        bot->prepare(*memory, thinker->box);
        thinker->known[i].bot = bot;
        thinker->known[i].memory = *memory;
        return true;
    }
    return false;
}

/* Without memory a bot makes the first legal step: a poor game is better than none. */
static pyr_step choose(struct thinker *thinker, const struct pyr_bot *bot, const struct pyr_view *view, struct pyr_rng rng)
{
    void *memory;
    struct pyr_steps steps;
    struct pyr_budget budget = { .is_over = is_stopped, .context = thinker };
    if (memory_for(thinker, bot, &memory))
        return bot->choose(memory, thinker->box, view, &rng, &budget);
    pyr_view_steps(view, thinker->box, &steps);
    return steps.count ? pyr_steps_at(&steps, thinker->box, 0) : PYR_STEP_NONE;
}

/* The question is copied, so that the main thread may ask the next one as soon as this one is answered. `done` is called
 * without the lock, since it may need it. */
static void *run(void *context)
{
    struct thinker *thinker = context;
    pthread_mutex_lock(&thinker->lock);
    while (thinker->state != ENDS) {
        if (thinker->state != ASKED) {
            pthread_cond_wait(&thinker->change, &thinker->lock);
            continue;
        }
        const struct pyr_bot *bot = thinker->bot;
        struct pyr_view view = thinker->view;
        struct pyr_rng rng = thinker->rng;
        thinker->state = THINKS;
        pthread_mutex_unlock(&thinker->lock);
        pyr_step step = choose(thinker, bot, &view, rng);
        pthread_mutex_lock(&thinker->lock);
        if (thinker->state == ENDS)
            break;
        thinker->step = step;
        thinker->state = thinker->stop ? RESTS : ANSWERED;
        pthread_cond_broadcast(&thinker->change);
        if (thinker->state == ANSWERED && thinker->done) {
            pthread_mutex_unlock(&thinker->lock);
            thinker->done();
            pthread_mutex_lock(&thinker->lock);
        }
    }
    pthread_mutex_unlock(&thinker->lock);
    return NULL;
}

struct thinker *thinker_create(const struct pyr_box *box, void (*done)(void))
{
    struct thinker *thinker = calloc(1, sizeof *thinker);
    sigset_t all, before;
    if (!thinker)
        return NULL;
    thinker->box = box;
    thinker->done = done;
    pthread_mutex_init(&thinker->lock, NULL);
    pthread_cond_init(&thinker->change, NULL);
    /* Signals are for the main thread. */
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGABRT);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thinker->thread, NULL, run, thinker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        free(thinker);
        return NULL;
    }
    return thinker;
}

/* Waits for the bot, which checks for ENDS between playouts. */
void thinker_destroy(struct thinker *thinker)
{
    if (!thinker)
        return;
    pthread_mutex_lock(&thinker->lock);
    thinker->state = ENDS;
    pthread_cond_broadcast(&thinker->change);
    pthread_mutex_unlock(&thinker->lock);
    pthread_join(thinker->thread, NULL);
    for (unsigned i = 0; i < MOST_BOTS; i++)
        free(thinker->known[i].memory);
    pthread_mutex_destroy(&thinker->lock);
    pthread_cond_destroy(&thinker->change);
    free(thinker);
}

void thinker_ask(struct thinker *thinker, const struct pyr_bot *bot, const struct pyr_view *view, const struct pyr_rng *rng)
{
    pthread_mutex_lock(&thinker->lock);
    thinker->bot = bot;
    thinker->view = *view;
    thinker->rng = *rng;
    thinker->stop = false;
    thinker->state = ASKED;
    pthread_cond_broadcast(&thinker->change);
    pthread_mutex_unlock(&thinker->lock);
}

bool thinker_answer(struct thinker *thinker, pyr_step *step)
{
    pthread_mutex_lock(&thinker->lock);
    bool answered = thinker->state == ANSWERED;
    if (answered) {
        *step = thinker->step;
        thinker->state = RESTS;
    }
    pthread_mutex_unlock(&thinker->lock);
    return answered;
}

/* Returns when the thread no longer thinks, so that its input may be changed. */
void thinker_stop(struct thinker *thinker)
{
    pthread_mutex_lock(&thinker->lock);
    thinker->stop = true;
    if (thinker->state == ASKED || thinker->state == ANSWERED)
        thinker->state = RESTS;
    while (thinker->state == THINKS)
        pthread_cond_wait(&thinker->change, &thinker->lock);
    pthread_mutex_unlock(&thinker->lock);
}
