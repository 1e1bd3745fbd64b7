const KEY = 'operator-key-of-a-test'

/** The setting of a service whose operator has a key. */
export const OPERATOR_SETTING = { TOLLBOOK_OPERATOR_KEY: KEY }
/** What its operator sends. */
export const OPERATOR_HEADERS = { authorization: `Bearer ${KEY}` }
