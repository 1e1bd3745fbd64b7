import { openChannels } from '../channels/open-channels.ts'
import { createAnswerStore } from '../ledger/answers.ts'
import { CallRows } from '../ledger/call-rows.ts'
import { createExposure } from '../ledger/exposure.ts'
import { loadKeyedHash } from '../ledger/keyed-hash.ts'
import { createOwner } from '../ledger/owners.ts'
import { createPayerCodes } from '../ledger/payer-codes.ts'
import { createPayerCredit } from '../ledger/payer-credit.ts'
import { createRecovery } from '../ledger/recovery.ts'
import { createSettler } from '../ledger/settler.ts'
import type { LedgerSettings } from './gate-options.ts'

/** The rows of payments, as one process works on them: its lease, what may run, what settles, what is left. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>

/** @throws the state store's own error if it cannot be read. */
export async function openLedger(settings: LedgerSettings) {
  const { state, clock, limits } = settings
  const { leaseMs, barMs, settleMs, resendAfterMs } = limits
  const keyedHash = await loadKeyedHash(state)
  const owner = await createOwner({ ...settings, leaseMs })
  const calls = new CallRows({ state, owner, clock })
  const answers = createAnswerStore(settings)
  const credit = createPayerCredit({ state, barMs, clock })
  const exposure = createExposure({ ...settings, credit })
  const payerCodes = createPayerCodes(settings)
  const channels = openChannels({ ...settings, calls, credit })
  const settleVoucher = channels.vouchers.settle
  const paying = { ...settings, calls, exposure, payerCodes, credit, settleMs, settleVoucher }
  const settler = createSettler(paying)
  const recovery = createRecovery({ ...settings, owner, calls, answers, settler, resendAfterMs })
  return {
    keyedHash,
    owner,
    calls,
    answers,
    exposure,
    payerCodes,
    credit,
    channels,
    settler,
    recovery,
  }
}
