import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { PermanentError } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { State } from '../../state/state.ts'
import { findFresh, savePage } from '../pages/page-store.ts'
import { createTally, type ImportCounts, type ImportListener, type ImportOutcome } from './import-counts.ts'
import { readForIndex } from './read-for-index.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.txt': 'text/plain',
}
const MAX_FILE_BYTES = 5_000_000
const FILES_AT_A_TIME = 4

type Import = ImportListener & {
  readonly state: State
  readonly workers: WorkerPool
  /** Base URL under which the folder is published. */
  readonly base: string
  readonly isAgain: boolean
  readonly now: () => Date
  readonly signal: AbortSignal
}

/**
 * Stores the pages of a folder for searches: HTML, Markdown and plain text, under the URLs where they are
 * published.
 */
export async function importFolder(folder: string, options: Import): Promise<ImportCounts> {
  const { state, base, isAgain, signal } = options
  const files = (await listFiles(folder)).map((path) => ({ path, url: toUrl(relative(folder, path), base) }))
  if (files.length === 0) throw new PermanentError(`${folder} holds no HTML, Markdown or text files`)
  const tally = createTally(options, files.length)
  const fresh = isAgain ? new Set<string>() : await findUnchanged(files, state)
  const waiting = files.filter(({ url }) => !fresh.has(url))
  if (fresh.size > 0) tally.add('fresh', files.length - waiting.length)
  const takeFiles = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      signal.throwIfAborted()
      tally.add(await importFile(file, options))
    }
  }
  await Promise.all(Array.from({ length: FILES_AT_A_TIME }, takeFiles))
  return tally.counts
}

type File = { readonly path: string; readonly url: string }

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && extname(entry.name).toLowerCase() in TYPES)
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** `guide/index.html` becomes `<base>/guide/`. */
function toUrl(path: string, base: string): string {
  const parts = path.split(sep).map(encodeURIComponent)
  if (/^index\.x?html?$/i.test(parts.at(-1) ?? '')) parts[parts.length - 1] = ''
  return new URL(parts.join('/'), base.endsWith('/') ? base : `${base}/`).href
}

/** The URLs of files that were imported after their last change. */
async function findUnchanged(files: readonly File[], state: State): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const retained = await findFresh(
    state,
    files.map(({ url }) => url),
    new Date(0),
  )
  for (const { path, url } of files) {
    if (!retained.has(url)) continue
    const { mtime } = await stat(path)
    if ((await findFresh(state, [url], mtime)).size > 0) found.add(url)
  }
  return found
}

async function importFile({ path, url }: File, options: Import): Promise<ImportOutcome> {
  const { state, onFailure, now, signal } = options
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) throw new PermanentError('is larger than 5 MB')
    const body = new Uint8Array(await readFile(path, { signal }))
    const headers = { 'content-type': TYPES[extname(path).toLowerCase()] ?? '' }
    const { page, words, isHidden } = await readForIndex({ url, headers, body }, options)
    if (isHidden) return 'forbidden'
    await savePage(state, { page: { ...page, url }, words, source: 'imported', now: now() })
    return 'imported'
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ProblemError) onFailure(path, error.problem.detail)
    else if (error instanceof PermanentError) onFailure(path, error.message)
    else throw error
    return 'failed'
  }
}
