import type { ReportApp } from '@tollbook/report/open/app'
import type { App, Mount } from '@tollbook/runtime/app'
import { type Config, withServices } from '@tollbook/runtime/config'
import { PackageMissing, throwAbsence } from '@tollbook/runtime/process/package-missing'
import type { Discovery } from '@tollbook/runtime/selling/serve-facilitator'
import type { State } from './state/state.ts'

type Apps = {
  readonly social: App<State>
  readonly utility: App<State>
  readonly inference: App<State>
  readonly report: ReportApp
}
export type AppName = keyof Apps
type Importers = { readonly [Name in AppName]: () => Promise<Apps[Name]> }

/** Each may be installed or not, and is loaded when it is used. */
const IMPORTERS: Importers = {
  social: async () => (await import('@tollbook/social/open/app')).app,
  utility: async () => (await import('@tollbook/utility/open/app')).app,
  inference: async () => (await import('@tollbook/inference/open/app')).app,
  report: async () => (await import('@tollbook/report/open/app')).app,
}

/** An installed app. @throws PackageMissing with the package to install */
export function loadApp<Name extends AppName>(
  name: Name,
  importers: Importers = IMPORTERS,
): Promise<Apps[Name]> {
  return importers[name]().catch(throwAbsence)
}

/** As `loadApp`; null if it is not installed. @throws PackageMissing if it lacks a package of its own */
export async function findApp<Name extends AppName>(
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

/** The services of Tollbook, in the order in which they are started and listed. */
export const PAID_APPS = ['social', 'utility', 'inference'] as const

/** The paid services that are installed, in their order. */
export async function findPaidApps(importers: Importers = IMPORTERS): Promise<readonly App<State>[]> {
  const apps = await Promise.all(PAID_APPS.map((name) => findApp(name, importers)))
  return apps.filter((app) => app !== null)
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
