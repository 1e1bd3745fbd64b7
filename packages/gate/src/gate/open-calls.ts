import { createAnswerStore } from '../calls/answers.ts'
import { CallRows } from '../calls/call-rows.ts'
import { Exposure } from '../calls/exposure.ts'
import { loadKeyedHash } from '../calls/keyed-hash.ts'
import { createOwner } from '../calls/owners.ts'
import { createPayerCodes } from '../calls/payer-codes.ts'
import { createPayerCredit } from '../calls/payer-credit.ts'
import { Recovery } from '../calls/recovery.ts'
import { SettlementOutcomes } from '../calls/settlement-outcomes.ts'
import { Settler } from '../calls/settler.ts'
import { refuseChannels } from './channels.ts'
import type { CallSettings } from './gate-options.ts'

/** The calls paid for, as one process works on them: its lease, what may run, what settles, what is left. */
export type OpenCalls = Awaited<ReturnType<typeof openCalls>>

/** @throws the state store's own error if it cannot be read. */
export async function openCalls(settings: CallSettings) {
  const { state, facilitator, chainReader, logger, clock, count, limits, kind } = settings
  const { channels: openChannels = refuseChannels } = settings
  const keyedHash = await loadKeyedHash(state)
  const owner = await createOwner({ state, leaseMs: limits.leaseMs, kind, leaseTime: settings.leaseTime })
  const calls = new CallRows({ state, owner, clock })
  const answers = createAnswerStore({ state, dataDir: settings.dataDir })
  const credit = createPayerCredit({ state, barMs: limits.barMs, clock })
  const exposure = new Exposure({ state, chainReader, credit, limits, clock, kind })
  const payerCodes = createPayerCodes({ state, limits, clock })
  const channels = openChannels({ state, facilitator, calls, credit, logger, clock, count, limits })
  const settler = new Settler({
    calls,
    outcomes: new SettlementOutcomes({ calls, exposure, payerCodes, credit, logger, clock, count }),
    credit,
    facilitator,
    chainReader,
    logger,
    settleMs: limits.settleMs,
    settleVoucher: (call) => channels.vouchers.settle(call),
    noteSettlement: settings.noteSettlement,
  })
  const recovery = new Recovery({
    state,
    owner,
    calls,
    answers,
    settler,
    chainReader,
    logger,
    clock,
    resendAfterMs: limits.resendAfterMs,
  })
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
