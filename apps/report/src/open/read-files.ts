import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '@tollbook/runtime/config'
import { loadLabelList } from '../build/label-list.ts'
import { listFacilitators } from '../chain/facilitator-file.ts'
import { requireReports } from './report-network.ts'

/** Reads the files that settings name for the indexer or the report service. @throws ConfigError */
export async function readFiles(config: Config, part: 'index' | 'report'): Promise<void> {
  requireReports(config)
  const { TOLLBOOK_FACILITATORS_FILE: facilitators, TOLLBOOK_LABELS_FILE: labels } = config
  const issues = [
    ...issueOf('TOLLBOOK_FACILITATORS_FILE', () => listFacilitators(facilitators)),
    ...(part === 'index' && labels !== undefined
      ? issueOf('TOLLBOOK_LABELS_FILE', () => loadLabelList(labels))
      : []),
  ]
  if (issues.length > 0) throw new ConfigError(issues)
}

function issueOf(setting: string, read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    return [`${setting}: ${error instanceof Error ? error.message : error}`]
  }
}
