import type { ReportApp } from '@tollbook/report/open/app'
import type { App, Mount } from '@tollbook/runtime/app'
import { type Config, withServices } from '@tollbook/runtime/config'
import { PackageMissing, throwAbsence } from '@tollbook/runtime/process/package-missing'
import type { Discovery } from '@tollbook/runtime/selling/serve-facilitator'
import { readService } from './load-service.ts'
import type { State } from './state/state.ts'

/** The services of Tollbook, in the order in which they are started and listed. */
export const PAID_APPS = ['social', 'utility', 'inference'] as const
export type PaidAppName = (typeof PAID_APPS)[number]

type Apps = { readonly [Name in PaidAppName]: App<State> } & { readonly report: ReportApp }
type Importers = { readonly [Name in keyof Apps]: () => Promise<Apps[Name]> }

/** Each may be installed or not, and is loaded when it is used; a service as that of a file. */
const IMPORTERS: Importers = {
  social: async () => readService(await import('@tollbook/social/open/app'), '@tollbook/social'),
  utility: async () => readService(await import('@tollbook/utility/open/app'), '@tollbook/utility'),
  inference: async () => readService(await import('@tollbook/inference/open/app'), '@tollbook/inference'),
  report: async () => (await import('@tollbook/report/open/app')).app,
}

/** An installed app. @throws PackageMissing with the package to install */
export function loadApp<Name extends keyof Apps>(
  name: Name,
  importers: Importers = IMPORTERS,
): Promise<Apps[Name]> {
  return importers[name]().catch(throwAbsence)
}

/** As `loadApp`; null if it is not installed. @throws PackageMissing if it lacks a package of its own */
export async function findApp<Name extends keyof Apps>(
  name: Name,
  importers: Importers = IMPORTERS,
): Promise<Apps[Name] | null> {
  try {
    return await loadApp(name, importers)
  } catch (error) {
    if (error instanceof PackageMissing && error.packageName === `@tollbook/${name}`) return null
    throw error
  }
}

/** The paid services that are installed, in their order. */
export async function findPaidApps(importers: Importers = IMPORTERS): Promise<readonly App<State>[]> {
  const apps = await Promise.all(PAID_APPS.map((name) => findApp(name, importers)))
  return apps.filter((app) => app !== null)
}

/** The paid services that are installed, and others that are served here. */
export async function findAllApps(served: readonly App<State>[]): Promise<readonly App<State>[]> {
  const installed = await findPaidApps()
  const names = installed.map(({ name }) => name)
  return [...installed, ...served.filter(({ name }) => !names.includes(name))]
}

/** The settings, with the ports of the paid services that are installed. @throws ConfigError as `withServices` */
export async function withInstalled(config: Config): Promise<Config> {
  return withServices(config, await findPaidApps())
}

/** The endpoints that these apps sell on the hosts of others; null without any. */
export function joinMounts(apps: readonly App<State>[]): Mount | null {
  const mounts = apps.flatMap(({ mount }) => mount ?? [])
  if (mounts.length === 0) return null
  return async (service, ports) => (await Promise.all(mounts.map((mount) => mount(service, ports)))).flat()
}

/** What lists the endpoints that the facilitator settled for; undefined if the report is not installed. */
export async function findDiscovery(config: Config, state: State): Promise<Discovery | undefined> {
  return (await findApp('report'))?.openDiscovery({ config, state })
}
