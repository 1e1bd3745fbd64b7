import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSources } from '@tollbook/social/import/open-sources'
import { type ImportOutcome, runImport, type SocialImport } from '@tollbook/social/import/run-import'
import type { State } from '@tollbook/social/state/state'

export type TestImport = ImportOutcome & { readonly issues: readonly string[] }

/** Imports one path, like the command. */
export async function importPlace(
  state: State,
  place: string,
  options: Partial<SocialImport> = {},
): Promise<TestImport> {
  const issues: string[] = []
  const [found] = await findSources(place)
  if (!found) throw new Error(`nothing at ${place}`)
  const source = await found.open()
  const outcome = await runImport(source, {
    state,
    isAgain: false,
    now: () => new Date('2026-11-22T00:00:00.000Z'),
    signal: new AbortController().signal,
    onBytes: () => {},
    onIssue: (where, what) => void issues.push(`${where.slice(place.length + 1)}: ${what}`),
    ...options,
  })
  return { ...outcome, issues }
}

/** Writes a file, passes its path on, and deletes it. */
export async function withFile<Result>(
  content: string | Buffer,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-import-'))
  try {
    const path = join(folder, 'file')
    writeFileSync(path, content)
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
