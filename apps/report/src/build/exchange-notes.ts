import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toShareCondition } from '../ledger/share-condition.ts'
import type { LabelList } from './label-list.ts'
import { type Selection, whereRead, whereVisible } from './visible-payments.ts'

export type Inflows = {
  readonly labels: LabelList
  /** The attempts that hold transfers into buyers' wallets. */
  readonly attempts: readonly number[]
  /** Buyers whose inflow in the window was read completely; null when that is every buyer. */
  readonly knownBuyers: readonly Address[] | null
}

/** Adds the note on money from exchanges and bridges to the figures of each merchant. */
export async function addExchangeNotes(
  ledger: Ledger,
  { figures, inflows, ...selection }: NoteSelection & { readonly figures: readonly MerchantFigures[] },
  signal: AbortSignal,
): Promise<readonly MerchantFigures[]> {
  const funded = await ledger.rows(fundedQuery(ledger, { ...selection, inflows }), signal)
  const unknown = inflows.knownBuyers
    ? await ledger.rows(unknownQuery(ledger, selection, inflows.knownBuyers), signal)
    : []
  const fundedAmounts = toAmounts(funded)
  const unknownAmounts = toAmounts(unknown)
  return figures.map((merchant) => {
    const { address, amount } = merchant
    const fundedAmount = fundedAmounts.get(address) ?? 0n
    const unknownAmount = unknownAmounts.get(address) ?? 0n
    const note = writeExchangeNote({ amount, fundedAmount, unknownAmount }, inflows.labels.version)
    return note === undefined ? merchant : { ...merchant, exchangeFlowNote: note }
  })
}

type Visible = Pick<Selection, 'coverage' | 'window' | 'method'>
type NoteSelection = Visible & { readonly inflows: Inflows }

/** What each merchant was paid by funded buyers, as in `findFundedBuyers`. */
function fundedQuery(ledger: Ledger, { inflows, ...selection }: NoteSelection): string {
  // Nothing can be stated about a buyer whose inflow was read only in part.
  const isKnown = inflows.knownBuyers === null ? '1' : isOneOf('recipient', inflows.knownBuyers)
  const sums = `
    SELECT recipient, sum(amount) AS all_sum, sumIf(amount, ${isOneOf('sender', [...inflows.labels.wallets])}) AS labelled_sum
    FROM ${ledger.transfers.table} WHERE ${whereRead(selection.window, inflows.attempts)} AND sender != recipient AND ${isKnown}
    GROUP BY recipient`
  const isMostly = toShareCondition('labelled_sum', 'all_sum', MIN_INFLOW_PERCENT)
  return `
    SELECT lower(hex(merchant)), sum(amount) FROM ${ledger.table}
    WHERE ${whereVisible(selection)} AND buyer ${ledger.dialect.isIn} (SELECT recipient FROM (${sums}) WHERE ${isMostly})
    GROUP BY merchant`
}

function unknownQuery(ledger: Ledger, selection: Visible, known: readonly Address[]): string {
  return `
    SELECT lower(hex(merchant)), sum(amount) FROM ${ledger.table}
    WHERE ${whereVisible(selection)} AND NOT ${isOneOf('buyer', known)} GROUP BY merchant`
}

function isOneOf(column: string, wallets: readonly Address[]): string {
  return wallets.length === 0 ? '(1 = 0)' : `(${column} IN (${wallets.map(toAddressLiteral).join(', ')}))`
}

function toAmounts(rows: readonly (readonly string[])[]): ReadonlyMap<string, bigint> {
  return new Map(rows.map(([merchant, amount = '0']) => [`0x${merchant}`, BigInt(amount)]))
}

/** A smaller share of the money says little about a merchant. */
const MIN_SHARE_PERCENT = 25
/** A buyer counts as funded when at least this share of its inflow came from labelled wallets. */
const MIN_INFLOW_PERCENT = 50

type FundedAmounts = {
  readonly amount: AtomicUsdc
  /** The part of it paid by buyers funded from labelled wallets. */
  readonly fundedAmount: AtomicUsdc
  /** The part of it paid by buyers whose inflow was not read. */
  readonly unknownAmount: AtomicUsdc
}

/** Buyers who received at least half of their USDC of the window from labelled wallets, directly. */
export function findFundedBuyers(
  inflows: readonly Pick<Transfer, 'sender' | 'recipient' | 'amount'>[],
  labelled: ReadonlySet<Address>,
): ReadonlySet<Address> {
  const sums = new Map<Address, { all: AtomicUsdc; labelled: AtomicUsdc }>()
  for (const { sender, recipient, amount } of inflows) {
    if (sender === recipient) continue
    const sum = sums.get(recipient) ?? { all: 0n, labelled: 0n }
    sum.all += amount
    if (labelled.has(sender)) sum.labelled += amount
    sums.set(recipient, sum)
  }
  const funded = [...sums].filter(([, sum]) => sum.labelled * 100n >= sum.all * BigInt(MIN_INFLOW_PERCENT))
  return new Set(funded.map(([buyer]) => buyer))
}

/** The report's sentence on exchanges; null for a small share, undefined if too many buyers are unknown. */
export function writeExchangeNote(
  { amount, fundedAmount, unknownAmount }: FundedAmounts,
  labelVersion: string,
): string | null | undefined {
  const reaches = (part: AtomicUsdc) => part * 100n >= amount * BigInt(MIN_SHARE_PERCENT)
  if (!reaches(fundedAmount)) return reaches(fundedAmount + unknownAmount) ? undefined : null
  // Half up, like the percentage of the claim.
  const percent = (200n * fundedAmount + amount) / (2n * amount)
  return (
    `${unknownAmount > 0n ? 'At least ' : ''}${percent}% of the reported dollars came from buyer wallets that were ` +
    'filled mostly from exchanges or bridges: at least half of the USDC that each of them received in the window ' +
    `came directly from wallets on the label list ${labelVersion}. Many people top up their wallets in this way.`
  )
}
