import { UsageError } from '@tollbook/flow/usage-error'
import { type Config, loadConfig } from '@tollbook/runtime/config'
import { closeDispute, type Dispute, listDisputes } from '../claims/disputes.ts'
import type { State } from '../state/state.ts'

type Words = {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

/** More than an operator reads at once. */
const MAX_LISTED = 1_000
/** The first characters of a UUID, enough to distinguish notes. */
const SHORT_ID_CHARACTERS = 8
const EXCERPT_CHARACTERS = 60

/** `tollbook disputes`. @param openState for a command that ends. @returns the exit code. @throws UsageError */
export async function runDisputes(
  { values, positionals }: Words,
  openState: (config: Config) => Promise<State>,
): Promise<number> {
  const [action = 'list', id = '', ...surplus] = positionals
  const isList = action === 'list'
  if (!isList && action !== 'show' && action !== 'close')
    throw new UsageError(`unknown action: ${action} (expected list, show or close)`)
  if (surplus.length > 0 || isList === (id !== ''))
    throw new UsageError(isList ? 'list accepts no further argument' : `${action} needs exactly one id`)
  const state = await openState(loadConfig())
  try {
    const asJson = values.json === true
    if (isList) return print(await listAll(state, values.all === true), { asJson, isList })
    const [note] = await findNotes(state, id)
    if (!note) return fail(`no note has the id ${id}; list all with "tollbook disputes list --all"`)
    if (action === 'show') return print([note], { asJson, isList })
    const isClosed = await closeDispute(state, note.id, new Date())
    return isClosed ? writeLine(`closed ${note.id}`) : fail(`${note.id} was already closed`)
  } finally {
    await state.close()
  }
}

function listAll(state: State, withClosed: boolean): Promise<readonly Dispute[]> {
  return listDisputes(state, { isOpen: !withClosed, max: MAX_LISTED })
}

async function findNotes(state: State, id: string): Promise<readonly Dispute[]> {
  const found = (await listAll(state, true)).filter((note) => note.id.startsWith(id))
  if (found.length > 1) throw new UsageError(`${found.length} notes begin with ${id}; use a longer prefix`)
  return found
}

function print(
  notes: readonly Dispute[],
  { asJson, isList }: { readonly asJson: boolean; readonly isList: boolean },
): number {
  if (asJson) return writeLine(JSON.stringify(isList ? notes : notes[0], null, 2))
  if (isList) return writeLine(notes.length === 0 ? 'no notes' : notes.map(toLine).join('\n'))
  return writeLine(notes.map(toPage).join('\n'))
}

function toLine({ id, receivedAt, closedAt, address, week, text }: Dispute): string {
  const excerpt = text.replaceAll(/\s+/g, ' ').slice(0, EXCERPT_CHARACTERS)
  const state = closedAt ? 'closed' : 'open  '
  const time = receivedAt.toISOString().slice(0, 16)
  return `${id.slice(0, SHORT_ID_CHARACTERS)}  ${time}  ${state}  ${address}  ${week ?? 'newest    '}  ${excerpt}`
}

function toPage({ id, receivedAt, closedAt, address, week, contact, text }: Dispute): string {
  const rows = {
    id,
    received: receivedAt.toISOString(),
    closed: closedAt?.toISOString() ?? 'no',
    wallet: address,
    week: week ?? 'newest window',
    contact: contact ?? 'none given',
  }
  const head = Object.entries(rows).map(([name, value]) => `${name.padEnd(9)} ${value}`)
  return [...head, '', text].join('\n')
}

function writeLine(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function fail(text: string): number {
  process.stderr.write(`${text}\n`)
  return 1
}
