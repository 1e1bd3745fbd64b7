import { withDeadline } from '@tollbook/flow/deadline'
import type { Logger } from '@tollbook/flow/logger'
import type { Problem } from '@tollbook/http/problem'
import type { ChainReader } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import { toQuietError } from '../quiet-error.ts'
import type { Presented } from './paid-call.ts'
import type { PayerProof } from './payer-proof.ts'
import { KEPT_MS, proofRequired } from './reading-rights.ts'

const LOOK_MS = 10_000

/**
 * Finds payments that were on the chain before their request arrived: anyone who sees a signed `exact`
 * transfer may submit it, and a restored state has lost the rows of later payments. Only for payments that no
 * row of a call is paid by.
 */
export class PrepaidCalls {
  readonly #chainReader: Pick<ChainReader, 'findSettlement'>
  readonly #proof: PayerProof
  readonly #logger: Logger
  readonly #clock: () => Date

  constructor(parts: {
    readonly chainReader: Pick<ChainReader, 'findSettlement'>
    readonly proof: PayerProof
    readonly logger: Logger
    readonly clock: () => Date
  }) {
    this.#chainReader = parts.chainReader
    this.#proof = parts.proof
    this.#logger = parts.logger
    this.#clock = parts.clock
  }

  /**
   * `proved`: the full transfer to us is on the chain, and the caller is its payer. Null: it is not, or the
   * chain cannot be read now. Otherwise the problem with the proof that the caller has to send.
   */
  async look(presented: Presented): Promise<'proved' | Problem | null> {
    if (!(await this.#isPaid(presented.payment))) return null
    return (await this.#proof.isGiven(presented)) ? 'proved' : proofRequired(presented, this.#proof)
  }

  async #isPaid(payment: OfferedPayment): Promise<boolean> {
    // The charge of an upto payment depends on its answer.
    if (payment.scheme !== 'exact' || this.#clock().getTime() > payment.validBefore * 1000 + KEPT_MS)
      return false
    try {
      const finding = await withDeadline(LOOK_MS, (signal) =>
        this.#chainReader.findSettlement(payment, signal),
      )
      return finding.found === 'settled' && finding.amount === payment.signedAmount
    } catch (error) {
      this.#logger.warn({ err: toQuietError(error) }, 'chain not readable for a rejected payment')
      return false
    }
  }
}
