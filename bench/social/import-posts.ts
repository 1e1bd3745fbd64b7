import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { State } from '@tollbook/cli/commands/state/state'
import { findSources } from '@tollbook/social/import/open-sources'
import { runImport } from '@tollbook/social/import/run-import'
import { saveBundle } from '@tollbook/social/source/store/save-bundle'
import { listAuthors, toPost } from './synthetic-posts.ts'

/** Writes the posts as a JSONL file of the API v2 and returns its path. */
export async function writePosts(folder: string, posts: number): Promise<string> {
  const path = join(folder, 'posts.jsonl')
  const stream = createWriteStream(path)
  for (let at = 0; at < posts; at += 1) if (!stream.write(`${toPost(at)}\n`)) await once(stream, 'drain')
  stream.end()
  await once(stream, 'finish')
  return path
}

/** Imports that file with its search words, after storing the authors. */
export async function importPosts(
  state: State,
  { path, posts }: { readonly path: string; readonly posts: number },
): Promise<{ readonly perSecond: number; readonly cpuMicrosEach: number }> {
  await saveBundle(state, { users: listAuthors() }, new Date())
  const [place] = await findSources(path)
  if (!place) throw new Error('no file was written')
  const source = await place.open()
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  const { counts } = await runImport(source, {
    state,
    isAgain: false,
    now: () => new Date(),
    signal: new AbortController().signal,
    onBytes: () => {},
    onIssue: () => {},
  })
  const seconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  if (counts.tweets !== posts) throw new Error(`${counts.tweets} of ${posts} posts were imported`)
  return { perSecond: posts / seconds, cpuMicrosEach: (user + system) / posts }
}
