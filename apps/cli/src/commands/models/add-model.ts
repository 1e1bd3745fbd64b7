import { join } from 'node:path'
import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import { PermanentError } from '@tollbook/flow/failure'
import { createProgress } from '@tollbook/flow/progress'
import {
  modelsFolderOf,
  readInstalledModels,
  writeInstalledModels,
} from '@tollbook/models/files/installed-models'
import { type Lock, lockFile } from '@tollbook/models/files/model-locks'
import type { Config } from '@tollbook/runtime/config'
import { outsideOptions } from '@tollbook/runtime/places/outside'
import { downloadFile, type FileSource, partOf, sizeOf } from '@tollbook/safe-fetch/download-file'
import { createLiveFetch, type LiveFetch } from '@tollbook/safe-fetch/live-fetch'
import { findOverride } from './find-override.ts'
import { type CatalogueModel, fileNameOf, toMegabytes } from './model-catalogue.ts'
import { loadTrial } from './try-model.ts'

type Options = {
  readonly config: Config
  readonly signal: AbortSignal
  /** Another URL of the same file, or of a folder with the same files, chosen by the operator. */
  readonly from?: string | undefined
}

/**
 * Downloads, verifies and tries a model, and enters it last in the record. @returns text for the operator
 * @throws PackageMissing, before the download, without the app that sells it; PermanentError if another process changes the models; errors of `downloadFile` and `tryModel`
 */
export async function addModel(model: CatalogueModel, options: Options): Promise<string> {
  const { config, signal } = options
  const { name, kind, files } = model
  const tryModel = await loadTrial(kind)
  const folder = modelsFolderOf(config)
  const [main, ...others] = files.map(fileNameOf)
  if (main === undefined) throw new Error('unreachable: a model has a file')
  const file = join(folder, main)
  const entry = { name, kind, file: main, others }
  const lock = lockFolder(config)
  try {
    for (const source of files) await download(model, source, options)
    const { phase } = createProgress()
    const outcome = await phase('trial', () => tryModel({ model: entry, file, config }, signal)).catch(
      (error: unknown) => {
        const reason = signal.aborted ? 'stopped' : error instanceof Error ? error.message : error
        throw new PermanentError(
          `the trial failed: ${reason}; ${file} is complete, but not installed. The same command tries it again`,
          { cause: error },
        )
      },
    )
    // Services lock this file once the record names the model.
    lockFile(file)?.close()
    const rest = (await readInstalledModels(config)).filter((one) => one.name !== name)
    await writeInstalledModels(config, [...rest, entry])
    return `${name} is installed in ${file}: ${outcome}.\n${describeUse(model, config)}\n`
  } finally {
    lock.close()
  }
}

/** Excludes other processes that change the models. @throws PermanentError while there is one */
export function lockFolder(config: Config): Lock {
  const folder = modelsFolderOf(config)
  const lock = lockFile(join(folder, 'models'))
  if (lock) return lock
  throw new PermanentError(`another process is adding or removing a model in ${folder}; wait until it ends`)
}

async function download(model: CatalogueModel, source: FileSource, options: Options): Promise<void> {
  const { config, signal, from } = options
  const file = join(modelsFolderOf(config), fileNameOf(source))
  const total = toMegabytes(source.sizeBytes)
  try {
    await createProgress().phase(model.name, ({ at }) =>
      downloadFile(
        { ...source, url: urlOf(model, source, from) },
        {
          fetch: openFetch(options),
          file,
          signal,
          onProgress: (doneBytes) => at(toMegabytes(doneBytes), total, 'MB'),
        },
      ),
    )
  } catch (error) {
    const part = partOf(file)
    const size = toMegabytes(await sizeOf(part))
    if (size === 0) throw error
    const reason = signal.aborted ? 'stopped' : error instanceof Error ? error.message : error
    throw new PermanentError(`${reason}; ${size} of ${total} MB are in ${part}. The same command continues`, {
      cause: error,
    })
  }
}

/** Several files are at the operator's URL under their own names. */
function urlOf({ files }: CatalogueModel, source: FileSource, from: string | undefined): string {
  if (from === undefined) return source.url
  return files.length === 1 ? from : new URL(fileNameOf(source), from.replace(/\/*$/, '/')).href
}

function openFetch({ config, from }: Options): LiveFetch {
  const outside = outsideOptions(config, '')
  return createLiveFetch({
    ...outside,
    userAgent: `Tollbook/${PRODUCT.version}`,
    // The operator may name a mirror on the same machine or network.
    ...(from !== undefined && { allowPrivateNetwork: true, refusedHosts: new Set<string>() }),
  })
}

function describeUse({ kind }: CatalogueModel, config: Config): string {
  const override = findOverride(config, kind)
  if (override) return `It is not used while ${override} is set.`
  if (kind === 'embeddings')
    return 'From its next start, Tollbook sells /v1/embeddings with it, unless TOLLBOOK_MODELS_FILE has embeddings.'
  if (kind === 'translation')
    return 'From its next start, Tollbook translates this pair with it, and pairs through English.'
  if (kind === 'transcription') return 'From its next start, Tollbook sells /v1/audio/transcriptions with it.'
  return [
    'From its next start, Tollbook sells it as /v1/messages and as each chat tier without an upstream in TOLLBOOK_MODELS_FILE.',
    'With TOLLBOOK_EXTRACTION_TIER=messages it also answers searches, writes summaries and fills schemas of scraped pages.',
  ].join('\n')
}
