import type { Address } from '@tollbook/chain/hex'
import { isFollowedPayment } from '@tollbook/verify/screen/flow/direct-moves'
import { findWays } from '@tollbook/verify/screen/flow/find-ways'
import { judgeFlow } from '@tollbook/verify/screen/flow/judge-flow'
import { NO_SCREEN_INPUTS, type Screen, type ScreenInputs } from '@tollbook/verify/screen/screen'
import { screenPayments } from '@tollbook/verify/screen/screen-payments'
import { roundTrip, SCREENS, selfPay } from '@tollbook/verify/screen/screens'
import type { Town } from './town.ts'

/** As it was in version 2 of the method. */
const tinyRepeatBefore: Screen = {
  kind: 'tiny_repeat',
  version: 1,
  title: 'Many tiny payments of one buyer',
  explanation: '',
  innocentCauses: [],
  thresholds: {},
  isCandidate: ({ amount }) => amount <= 10_000n,
  flagsPair: ({ candidates }) => candidates >= 100,
}

/** The screens of version 2 of the method. */
export const BEFORE: readonly Screen[] = [selfPay, roundTrip, tinyRepeatBefore]

export type Judgement = {
  readonly reportedUsd: number
  readonly passingUsd: number
  /** Dollars by kind of flag. */
  readonly flags: Readonly<Record<string, number>>
}

/** The week of a town by the screens of version 2 of the method. */
export function judgeBefore(town: Town): Judgement {
  return judge(town, BEFORE, NO_SCREEN_INPUTS)
}

/** The same by the screens of this version; merchants have no listings. */
export function judgeNow(town: Town): Judgement {
  const buyersOf = Map.groupBy(town.payments, ({ merchant }) => merchant)
  const flows = [...buyersOf].flatMap(([merchant, own]) => {
    const origins = new Set([merchant])
    const buyers = new Set(own.map(({ buyer }) => buyer))
    const escrowed = town.indirect.payments.map(({ buyer: sender, merchant: recipient }) => {
      return { sender, recipient }
    })
    const wallets = new Set([
      ...findWays({ origins, buyers, edges: [...town.moves, ...escrowed], hubs: town.hubs }),
      ...findPaidTogether(town, merchant),
    ])
    if (wallets.size === 0) return []
    const payments = town.indirect.payments.filter((payment) =>
      isFollowedPayment(payment, { merchant, origins, wallets }),
    )
    const moves = town.moves.filter(
      ({ sender, recipient }) => sender === merchant || wallets.has(sender) || wallets.has(recipient),
    )
    return [
      [
        merchant,
        judgeFlow(merchant, { origins, moves, hubs: town.hubs }, { ...town.indirect, payments }),
      ] as const,
    ]
  })
  const inputs: ScreenInputs = { ...NO_SCREEN_INPUTS, flows: new Map(flows) }
  return judge(town, SCREENS, inputs)
}

/** Buyers that paid in a transaction in which the merchant sent money out. */
function findPaidTogether({ moves }: Town, merchant: Address): readonly Address[] {
  const sent = new Set(
    moves.filter(({ sender }) => sender === merchant).map(({ transaction }) => transaction),
  )
  return moves
    .filter(({ recipient, transaction }) => recipient === merchant && sent.has(transaction))
    .map(({ sender }) => sender)
}

function judge(town: Town, screens: readonly Screen[], inputs: ScreenInputs): Judgement {
  const verdicts = screenPayments({ payments: town.payments, outflows: town.moves, screens, inputs })
  const flags: Record<string, number> = {}
  let [reported, passing] = [0n, 0n]
  town.payments.forEach(({ amount }, at) => {
    const kind = verdicts[at] ?? null
    reported += amount
    if (kind === null) passing += amount
    else flags[kind] = (flags[kind] ?? 0) + Number(amount) / 1e6
  })
  return { reportedUsd: Number(reported) / 1e6, passingUsd: Number(passing) / 1e6, flags }
}
