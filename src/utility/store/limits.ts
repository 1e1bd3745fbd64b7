/** 50 MB a wallet (specification 2.5), counted as names and rows in UTF-8. */
export const QUOTA_BYTES = 50 * 1024 * 1024
/** Chosen: the longest row as JSON in UTF-8. */
export const MAX_ROW_BYTES = 256 * 1024
/** Chosen: rows of one call. */
export const MAX_ROWS = 1_000
/** Chosen: collections of one wallet. */
export const MAX_COLLECTIONS = 1_000
/** Chosen: a body of many rows; larger sets are sent in several calls. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Chosen: fields of all rows of a call and all that is in them, twice as many as any other body may have. */
export const MAX_BODY_VALUES = 100_000
/** Chosen: an answer ends early at this size and says where to go on, so that no answer holds 50 MB. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024

const DAY_MS = 86_400_000
/** Chosen: a write keeps a collection for at least 60 days, a read for at least 30. */
export const KEPT_AFTER_WRITE_MS = 60 * DAY_MS
export const KEPT_AFTER_READ_MS = 30 * DAY_MS
