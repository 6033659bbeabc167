/* store_sqlite.h (store_sqlite.c): for tests that need more than the store's interface. */
#ifndef PYR_STORE_SQLITE_H
#define PYR_STORE_SQLITE_H

#include <sqlite3.h>

#include "store_engine.h"

sqlite3 *store_sqlite_handle(struct store_db *db);

#endif
