import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { EvidenceArchive } from './evidence-archive.ts'
import { openEvidenceFolder } from './evidence-folder.ts'
import { openEvidencePieces } from './evidence-pieces.ts'

const NOW = new Date('2026-11-15T12:00:05Z')
const DAY_MS = 86_400_000

async function readAll(archive: EvidenceArchive, file: string, range: { at: number; bytes: number }) {
  const chunks: Uint8Array[] = []
  for await (const chunk of archive.read(file, range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The behaviour of every archive, with a file larger than one piece and one read. */
async function checkArchive(archive: EvidenceArchive): Promise<string> {
  const content = randomBytes(2_500_000)
  const writing = await archive.create('2026-11-15')
  for (let at = 0; at < content.length; at += 700_000) await writing.write(content.subarray(at, at + 700_000))
  const { file, bytes } = await writing.keep()
  assert.equal(bytes, content.length)
  const ranges = [
    { at: 0, bytes: content.length },
    { at: 0, bytes: 1 },
    { at: 1_048_575, bytes: 2 },
    { at: 1_048_576, bytes: 1_048_576 },
    { at: 2_499_999, bytes: 1 },
  ]
  for (const range of ranges) {
    const expected = content.subarray(range.at, range.at + range.bytes)
    assert(expected.equals(await readAll(archive, file, range)), JSON.stringify(range))
  }
  await assert.rejects(readAll(archive, file, { at: 2_499_999, bytes: 2 }), /missing|truncated/)
  await assert.rejects(readAll(archive, 'other', { at: 0, bytes: 1 }))
  return file
}

onEveryState('evidence in the state is read back as written, from any offset', async (state) => {
  const archive = openEvidencePieces(state, () => NOW)
  const retained = await checkArchive(archive)
  const provided = await archive.create('2026-11-22')
  await provided.write(randomBytes(2_000_000))
  await provided.discard()
  // Left by a publication that was killed.
  const dead = await archive.create('2026-11-22')
  await dead.write(randomBytes(2_000_000))
  const files = async () => {
    const rows = await state.db.selectFrom('report_evidence_pieces').select('file').distinct().execute()
    return rows.length
  }
  assert.equal(await files(), 2)
  await archive.removeStrays(new Set([retained]), new Date(NOW.getTime() + DAY_MS))
  assert.equal(await files(), 2)
  await archive.removeStrays(new Set([retained]), new Date(NOW.getTime() + DAY_MS + 1))
  assert.equal(await files(), 1)
  assert.equal((await readAll(archive, retained, { at: 0, bytes: 10 })).length, 10)
})

test('evidence in a folder is read back as written, from any offset', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-evidence-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const archive = openEvidenceFolder(folder)
  const retained = await checkArchive(archive)
  assert.match(retained, /^2026-11-15-[0-9a-f]{16}\.ndjson\.gz$/)
  const provided = await archive.create('2026-11-22')
  await provided.discard()
  assert.deepEqual(readdirSync(folder), [retained])
  const dead = await archive.create('2026-11-22')
  await dead.write(randomBytes(10))
  await archive.removeStrays(new Set([retained]), new Date())
  assert.equal(readdirSync(folder).length, 2)
  await archive.removeStrays(new Set([retained]), new Date(Date.now() + DAY_MS + 60_000))
  assert.deepEqual(readdirSync(folder), [retained])
  await dead.discard()
  truncateSync(join(folder, retained), 1_000_000)
  await assert.rejects(readAll(archive, retained, { at: 0, bytes: 2_500_000 }), /truncated/)
})
