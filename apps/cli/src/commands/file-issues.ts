import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '@tollbook/runtime/config'
import type { Part } from '@tollbook/runtime/places/parts'
import { findApp, findPaidApps } from './apps.ts'

/** The issues of all files that settings name, for parts that run here: read before anything is opened. */
export async function findFileIssues(config: Config, parts: readonly Part[]): Promise<readonly string[]> {
  const apps = await findPaidApps()
  const found = await Promise.all(
    parts.map(async (part) => {
      try {
        if (part === 'index' || part === 'report') await (await findApp('report'))?.readFiles(config, part)
        else await apps.find(({ name }) => name === part)?.readFiles(config)
        return []
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return error.issues
      }
    }),
  )
  // Parts share files.
  return [...new Set(found.flat())]
}
