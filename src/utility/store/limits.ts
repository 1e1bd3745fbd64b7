/** 50 MB per wallet (specification 2.5), counted as names and rows in UTF-8. */
export const QUOTA_BYTES = 50 * 1024 * 1024
/** Chosen: maximum row size as JSON in UTF-8. */
export const MAX_ROW_BYTES = 256 * 1024
/** Chosen: rows per call. */
export const MAX_ROWS = 1_000
/** Chosen: collections per wallet. */
export const MAX_COLLECTIONS = 1_000
/** Chosen: maximum body of many rows; larger sets need several calls. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Chosen: JSON values in all rows of a call, twice as many as in any other body. */
export const MAX_BODY_VALUES = 100_000
/** Chosen: a page ends early at this size, with a cursor to continue, so that no answer holds 50 MB. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024

const DAY_MS = 86_400_000
/** Chosen: a write keeps a collection for at least 60 days, a read for at least 30. */
export const TTL_AFTER_WRITE_MS = 60 * DAY_MS
export const TTL_AFTER_READ_MS = 30 * DAY_MS
