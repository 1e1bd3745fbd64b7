import { createHash, randomUUID } from 'node:crypto'
import { Unreachable } from '@tollbook/flow/failure'
import type { State } from '../state/state.ts'
import { type EvidenceArchive, STRAY_AGE_MS } from './evidence-archive.ts'

/** A week of millions of payments takes hundreds of rows, and a few pieces fit in memory. */
const PIECE_BYTES = 1_048_576

/** Evidence in the state store, for machines without a shared disk. Random names make leftovers strays. */
export function openEvidencePieces(state: State, now: () => Date): EvidenceArchive {
  return {
    async create(label) {
      const file = `${label}-${randomUUID()}`
      const hash = createHash('sha256')
      const held = Buffer.alloc(PIECE_BYTES)
      let size = 0
      let bytes = 0
      let position = 0
      const flush = async () => {
        if (size === 0) return
        const row = { file, position, bytes: held.subarray(0, size), written_at: now().getTime() }
        await state.db.insertInto('report_evidence_pieces').values(row).execute()
        position += 1
        size = 0
      }
      return {
        async write(more) {
          hash.update(more)
          bytes += more.length
          for (let taken = 0; taken < more.length; ) {
            const part = more.subarray(taken, taken + PIECE_BYTES - size)
            held.set(part, size)
            size += part.length
            taken += part.length
            if (size === PIECE_BYTES) await flush()
          }
        },
        async keep() {
          await flush()
          return { file, sha256: hash.digest('hex'), bytes }
        },
        async discard() {
          await state.db.deleteFrom('report_evidence_pieces').where('file', '=', file).execute()
        },
      }
    },
    async *read(file, { at, bytes }) {
      const end = at + bytes
      for (let next = at; next < end; ) {
        const position = Math.floor(next / PIECE_BYTES)
        const row = await state.db
          .selectFrom('report_evidence_pieces')
          .select('bytes')
          .where('file', '=', file)
          .where('position', '=', position)
          .executeTakeFirst()
        const begin = position * PIECE_BYTES
        const part = row?.bytes.subarray(next - begin, end - begin)
        if (!part || part.length === 0) throw new Unreachable(`a piece of the evidence ${file} is missing`)
        yield part
        next += part.length
      }
    },
    async removeStrays(kept, at) {
      const rows = await state.db
        .selectFrom('report_evidence_pieces')
        .select('file')
        .where('position', '=', 0)
        .where('written_at', '<', at.getTime() - STRAY_AGE_MS)
        .execute()
      for (const { file } of rows) {
        if (kept.has(file)) continue
        await state.db.deleteFrom('report_evidence_pieces').where('file', '=', file).execute()
      }
    },
  }
}
