import type { Address } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import type { PadVersionTable } from '../state/scratchpad-tables.ts'
import type { State } from '../state/state.ts'
import type { Content } from './content.ts'
import { noSuchPad } from './delete-pad.ts'

type Options = { readonly state: State; readonly wallet: Address; readonly now: Date }

type VersionHead = Pick<PadVersionTable, 'version' | 'kind' | 'bytes' | 'made_at'>

export type ReadPad = {
  readonly head: VersionHead
  readonly content: Content
  /** All stored versions, newest first. */
  readonly versions: readonly VersionHead[]
  readonly expiresAtMs: number
}

/**
 * Reads a version of a pad, the current one for null, and the list of all stored ones: in one statement, for
 * a consistent snapshot.
 * @throws ProblemError `not_found`, or `no_longer_kept` for a version that was dropped.
 */
export async function readPad(
  { state, wallet, now }: Options,
  name: string,
  version: number | null,
): Promise<ReadPad> {
  const versions = await state.db
    .selectFrom('pad')
    .innerJoin('pad_version', 'pad_version.pad', 'pad.id')
    .select(['pad.expires_at', 'pad_version.version', 'kind', 'pad_version.bytes', 'made_at'])
    .select((query) =>
      query
        .case()
        .when('pad_version.version', '=', version ?? query.ref('pad.version'))
        .then(query.ref('content'))
        .end()
        .as('content'),
    )
    .where('wallet', '=', wallet)
    .where('name', '=', name)
    .where('expires_at', '>', now.getTime())
    .orderBy('pad_version.version', 'desc')
    .execute()
  const [newest] = versions
  if (!newest) throw new ProblemError(noSuchPad(name))
  const head = versions.find(({ content }) => content !== null)
  if (!head?.content) {
    const isOld = version !== null && version < newest.version
    throw new ProblemError({
      code: isOld ? 'no_longer_kept' : 'not_found',
      detail: `The pad ${name} has version ${newest.version}; the oldest stored one is ${versions.at(-1)?.version}.`,
    })
  }
  return {
    head,
    content: { kind: head.kind, content: head.content },
    versions: versions.map(({ content: _, expires_at: __, ...one }) => one),
    expiresAtMs: newest.expires_at,
  }
}
