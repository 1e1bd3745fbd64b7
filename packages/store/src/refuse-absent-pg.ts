import { ConfigError } from '@tollbook/flow/config-error'

/**
 * What a failed import throws instead, if it failed because the optional package `pg` is absent.
 * @throws ConfigError, or else the error itself
 */
export function refuseAbsentPg(error: unknown): never {
  // https://nodejs.org/api/errors.html#err_module_not_found; the package is only in the message.
  const isAbsent = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  if (isAbsent && error.message.startsWith("Cannot find package 'pg'"))
    throw new ConfigError(['a state URL of PostgreSQL needs the package pg: npm install pg'])
  throw error
}
