import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServiceDeclaration } from '@tollbook/endpoints/define-service'
import { findServiceIssues } from '@tollbook/endpoints/service-issues'
import { isRecord } from '@tollbook/flow/is-record'
import { UsageError } from '@tollbook/flow/usage-error'
import type { App } from '@tollbook/runtime/app'
import { type Loading, toApp } from '@tollbook/runtime/declared-app'
import { ServiceError } from '@tollbook/runtime/process/service-error'

const EXAMPLE = "export const service = defineService({ name: 'weather', … })"
/** The functions of an app, which opens its service itself. */
const APP_FUNCTIONS = ['prepare', 'readFiles', 'checks', 'describe', 'sweep'] as const

/** Whether a word of the command line is the file of a service, and no name. */
export function isFile(word: string): boolean {
  return /[\\/]|\.[cm]?[jt]s$/.test(word)
}

/** Loads the service that a file exports. @throws UsageError without the file; ServiceError if it has no service */
export async function loadServiceFile(file: string, loading: Loading): Promise<App<unknown>> {
  const path = resolve(file)
  if (!existsSync(path)) throw new UsageError(`${file}: no such file`)
  let module: Readonly<Record<string, unknown>>
  try {
    module = await import(pathToFileURL(path).href)
  } catch (error) {
    throw new ServiceError(file, [`it cannot be loaded: ${explain(error)}`], { cause: error })
  }
  return readService(module, file, loading)
}

/**
 * The service that a module exports as `service`: a declaration, or an app that opens itself.
 * @param where the file or package, for errors
 * @throws ServiceError that names each wrong member
 */
export function readService(
  module: Readonly<Record<string, unknown>>,
  where: string,
  loading?: Loading,
): App<unknown> {
  const service = module.service ?? module.default
  if (service === undefined) {
    const names = Object.keys(module).join(', ')
    throw new ServiceError(where, [`it exports ${names || 'nothing'}, but no service; write ${EXAMPLE}`])
  }
  const isApp = isRecord(service) && typeof service.prepare === 'function'
  const issues = isApp ? findAppIssues(service) : findServiceIssues(service)
  if (issues.length > 0) throw new ServiceError(where, issues)
  // Checked right above.
  return isApp ? (service as unknown as App<unknown>) : toApp(service as ServiceDeclaration, loading)
}

function findAppIssues(app: Readonly<Record<string, unknown>>): readonly string[] {
  const missing = APP_FUNCTIONS.filter((name) => typeof app[name] !== 'function')
  return [
    ...missing.map((name) => `${name} must be a function`),
    ...(typeof app.name === 'string' ? [] : ['name must be text']),
    ...(typeof app.port === 'number' ? [] : ['port must be a number']),
    ...(Array.isArray(app.migrations) ? [] : ['migrations must be a list']),
  ]
}

/** The stack only of an error that the module's own code threw, which needs it. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const missing = 'code' in error && /^Cannot find package '([^']+)'/.exec(error.message)
  if (missing) return `${error.message.split('\n')[0]}; npm install ${missing[1]}`
  return 'code' in error ? error.message : (error.stack ?? error.message)
}
