import { ConfigError } from '../../flow/config-error.ts'
import { loadModelsFile } from '../../models/files/open-models.ts'
import { loadLabelList } from '../../report/build/label-list.ts'
import { listFacilitators } from '../../report/chain/facilitator-file.ts'
import type { Config } from '../../runtime/config.ts'
import type { Part } from '../../runtime/places/parts.ts'

type Reader = (config: Config) => unknown

const READERS: Readonly<Record<Part, readonly Reader[]>> = {
  index: [readFacilitators, readLabels],
  report: [readFacilitators],
  social: [],
  utility: [loadModelsFile],
  inference: [loadModelsFile],
}

/** The issues of all files that settings name, for parts that run here: read before anything is opened. */
export async function findFileIssues(config: Config, parts: readonly Part[]): Promise<readonly string[]> {
  const readers = new Set(parts.flatMap((part) => READERS[part]))
  const found = await Promise.all(
    [...readers].map(async (read) => {
      try {
        await read(config)
        return []
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return error.issues
      }
    }),
  )
  return found.flat()
}

function readFacilitators({ TOLLBOOK_FACILITATORS_FILE: file }: Config): void {
  naming('TOLLBOOK_FACILITATORS_FILE', () => listFacilitators(file))
}

function readLabels({ TOLLBOOK_LABELS_FILE: file }: Config): void {
  if (file !== undefined) naming('TOLLBOOK_LABELS_FILE', () => loadLabelList(file))
}

function naming(setting: string, read: () => unknown): void {
  try {
    read()
  } catch (error) {
    throw new ConfigError([`${setting}: ${error instanceof Error ? error.message : error}`])
  }
}
