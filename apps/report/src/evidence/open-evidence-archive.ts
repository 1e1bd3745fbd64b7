import type { State } from '../state/state.ts'
import type { EvidenceArchive } from './evidence-archive.ts'
import { openEvidenceFolder } from './evidence-folder.ts'
import { openEvidencePieces } from './evidence-pieces.ts'

/** A folder for a state in SQLite, which one machine uses; the state itself in PostgreSQL. */
export function openEvidenceArchive(
  state: State,
  { folder, now }: { readonly folder: string; readonly now: () => Date },
): EvidenceArchive {
  return state.kind === 'sqlite' ? openEvidenceFolder(folder) : openEvidencePieces(state, now)
}
