/*
 * rows.h: the part of an environment that is compiled twice, for any processor (rows_plain.c) and for x86-64 with AVX2
 * (rows_avx2.c); env.c picks one. Both give the same bytes (tests/test_env.c compares them).
 */
#ifndef PYR_ENV_ROWS_H
#define PYR_ENV_ROWS_H

#include <pyramids/env.h>

#include "marks.h"

/* Spaces are numbered 0 to 49 in actions, first card first; a pyr_pair has gaps. */
extern const uint8_t env_bit_of_space[2 * PYR_ENV_SPACES];

/* A seat's side of a game: what an observation is made from. Views and states have these parts in different places. */
struct env_sight {
    const struct pyr_table *open;
    const struct pyr_desk *mine;
    const pyr_card *dealt;
    const struct pyr_env_known *known;       /* derived from `open` */
    pyr_seat seat;
};

/* Steps other than marks, and what chance, bots and ends of games do after a step (env.c). */
void env_know_returned(const struct pyr_table *open, pyr_seat seat, const pyr_card *dealt, struct pyr_env_known *known);
enum pyr_err env_action_step(const struct pyr_box *box, const struct env_sight *sight, int32_t action, pyr_step *step);
void env_play_bots(const struct pyr_env *env, struct pyr_env_game *game, const struct pyr_env_arrays *arrays);
void env_finish(const struct pyr_env *env, struct pyr_env_game *game, const struct pyr_env_arrays *arrays, size_t at);
void env_write_critic(const struct pyr_env *env, const struct pyr_state *state, pyr_seat seat, uint8_t *to);

#define ENV_DECLARE(suffix) \
    void env_know_##suffix(const struct pyr_env *env, const struct pyr_table *open, struct pyr_env_known *known); \
    void env_write_##suffix(const struct pyr_env *env, const struct env_sight *sight, uint8_t *observation, uint8_t *mask); \
    void env_rows_##suffix(const struct pyr_env *env, const struct pyr_env_game *game, \
        const struct pyr_env_arrays *arrays, size_t at); \
    enum pyr_err env_judge_##suffix(const struct pyr_env *env, const struct pyr_env_game *games, size_t count, \
        const int32_t *action, size_t *row); \
    void env_step_##suffix(const struct pyr_env *env, struct pyr_env_game *games, size_t count, \
        const struct pyr_env_arrays *arrays)

ENV_DECLARE(plain);
ENV_DECLARE(avx2);

#if PYR_HAS_FAST
#define ROWS(name, ...) (cpu_is_fast() ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define ROWS(name, ...) name##_plain(__VA_ARGS__)
#endif

#endif
