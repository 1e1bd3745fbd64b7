import type { App } from '@tollbook/runtime/app'
import { FIRST_PORT } from '@tollbook/runtime/declared-app'
import { createExitGuard } from '@tollbook/runtime/process/guard-exit'
import { ServiceError } from '@tollbook/runtime/process/service-error'
import { readServiceSetting, serviceSetting } from '@tollbook/runtime/settings/service-settings'
import { loadApp, PAID_APPS } from '../apps.ts'
import { loadServiceFile } from '../load-service.ts'
import type { State } from '../state/state.ts'

/** Names of parts and of files that Tollbook itself has. */
const TAKEN: readonly string[] = [...PAID_APPS, 'index']

/**
 * The services that words of the command line name: those of Tollbook, and files.
 * @throws UsageError, PackageMissing or ServiceError, also for a name that is taken
 */
export async function loadApps(words: readonly string[]): Promise<readonly App<State>[]> {
  const guard = createExitGuard()
  const apps: App<State>[] = []
  let port = FIRST_PORT
  for (const word of words) {
    const own = PAID_APPS.find((name) => name === word)
    const app = own ? await loadApp(own) : await loadServiceFile(word, { port, guard })
    const issue = findNameIssue(app.name, { isOwn: own !== undefined, apps })
    if (issue) throw new ServiceError(word, [`name: ${issue}`])
    apps.push(app)
    if (app.port === port) port += 1
  }
  return apps
}

function findNameIssue(
  name: string,
  { isOwn, apps }: { readonly isOwn: boolean; readonly apps: readonly App<State>[] },
): string | null {
  if (apps.some((app) => app.name === name)) return `"${name}" is already served by this command`
  // Parts that are not sold have settings of their own.
  const isPart = readServiceSetting(serviceSetting(name, 'PORT')) === null
  return !isOwn && (isPart || TAKEN.includes(name)) ? `"${name}" is a part of Tollbook; choose another` : null
}
