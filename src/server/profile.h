/*
 * profile.h (profile.c, history.c, farewell.c): what is shown of a visitor's games, and the removal of a visitor's data.
 * Handlers of routes, with the rules of http.c.
 */
#ifndef PYR_SERVER_PROFILE_H
#define PYR_SERVER_PROFILE_H

#include "request.h"

/* profile.c */
void get_my_profile(struct request *request);
void post_profile_link(struct request *request);
void delete_profile_link(struct request *request);
void get_profile(struct request *request);
void get_ratings(struct request *request);
void get_people(struct request *request);

/* history.c */
void get_my_games(struct request *request);
void get_my_records(struct request *request);

/* farewell.c */
void delete_visitor(struct request *request);

#endif
