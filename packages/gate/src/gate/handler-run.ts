import { hash } from 'node:crypto'
import type { Deadline } from '@tollbook/flow/deadline'
import { runFor } from '@tollbook/flow/owner'
import { inStep } from '@tollbook/flow/trace'
import { PROBLEMS, type Problem, ProblemError } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import { startCallDeadline } from '@tollbook/http/request/call-deadline'
import { createCallEffects } from '../calls/call-effects.ts'
import type { CallRows } from '../calls/call-rows.ts'
import type { Exposure } from '../calls/exposure.ts'
import type { Owner } from '../calls/owners.ts'
import type { Reservation } from '../calls/reservation.ts'
import type { Answer } from '../contract/answer.ts'
import { UnchargedAnswer } from '../contract/uncharged-answer.ts'
import type { Admission } from './admission.ts'
import { type BufferedCalls, toAnswerReply, toStored } from './buffered-call.ts'
import type { RunningCall } from './paid-call.ts'
import type { PrepaidCalls } from './prepaid-call.ts'
import { GONE, type Refusals } from './refusals.ts'
import type { LiveCall, StreamedCalls } from './streamed-call.ts'

/** Part of an authorization's lifetime that is reserved for its settlement; the handler has to stop before. */
const SETTLEMENT_REST_MS = 4_000
const MIN_RUN_MS = 1_000
/** The reason of a row whose handler answered with a status that is not charged. */
const UNCHARGED = 'not_charged'
/** 128 bits, so that ids of calls do not collide. */
const CALL_ID_DIGITS = 32

/** Runs handlers for reserved calls. */
export class HandlerRuns {
  readonly #calls: CallRows
  readonly #exposure: Exposure
  readonly #admission: Admission
  readonly #prepaid: PrepaidCalls
  readonly #buffered: BufferedCalls
  readonly #streamed: StreamedCalls
  readonly #refusals: Refusals
  readonly #explain: (error: unknown) => Problem
  readonly #clock: () => Date
  readonly #owner: Owner

  constructor(parts: {
    readonly calls: CallRows
    readonly exposure: Exposure
    readonly admission: Admission
    readonly prepaid: PrepaidCalls
    readonly buffered: BufferedCalls
    readonly streamed: StreamedCalls
    readonly refusals: Refusals
    /** Converts a thrown value to a problem for the client, and logs it if it is an error of ours. */
    readonly explain: (error: unknown) => Problem
    readonly clock: () => Date
    readonly owner: Owner
  }) {
    this.#calls = parts.calls
    this.#exposure = parts.exposure
    this.#admission = parts.admission
    this.#prepaid = parts.prepaid
    this.#buffered = parts.buffered
    this.#streamed = parts.streamed
    this.#refusals = parts.refusals
    this.#explain = parts.explain
    this.#clock = parts.clock
    this.#owner = parts.owner
  }

  run(call: RunningCall): Promise<Reply> {
    return this.#forPayer(call, async (end) => {
      const admitted = await inStep('verify', () => this.#admit(call))
      if ('code' in admitted) {
        await this.#calls.release(call.lease, admitted.code, false)
        return whole(this.#refusals.refuse(call.exchange, admitted))
      }
      const deadline = this.#startDeadline(call, admitted.isPaid)
      const release = (code: string) => this.#calls.release(call.lease, code, true)
      const answer = await this.#runHandler(call, deadline, release)
      if (!('kind' in answer)) return whole(answer)
      if (answer.kind === 'stream')
        return serveLive({ ...call, answer, deadline }, end, (live) => this.#streamed.serve(live))
      const reply = await this.#buffered.serve(call, answer)
      if (reply.status < 300) call.budget.giveBack(1)
      return whole(reply)
    })
  }

  /** For a stream that was settled and cut short. */
  rerun(call: RunningCall, headers: Reply['headers']): Promise<Reply> {
    // Its first run has paid for it.
    call.budget.giveBack()
    return this.#forPayer(call, async (end) => {
      const deadline = this.#startDeadline(call, true)
      const giveUp = () => this.#calls.finish(call.lease, false, null)
      const answer = await this.#runHandler(call, deadline, giveUp)
      if (!('kind' in answer)) return whole(answer)
      if (answer.kind === 'stream')
        return serveLive({ ...call, answer, deadline }, end, (live) =>
          this.#streamed.serveSettled(live, headers),
        )
      await this.#calls.finish(call.lease, true, null)
      return whole(toAnswerReply(toStored(answer), headers))
    })
  }

  /** Works on behalf of the payer, so that engines are shared fairly between payers. */
  async #forPayer(call: RunningCall, act: (end: () => void) => Promise<Served>): Promise<Reply> {
    const startedMs = this.#clock().getTime()
    const end = () => {
      call.budget.addRun(this.#clock().getTime() - startedMs)
      this.#owner.release(call.lease.token)
    }
    let isLive = false
    try {
      const served = await runFor(call.payment.payer, () => act(end))
      isLive = served.isLive
      return served.reply
    } finally {
      if (!isLive) end()
    }
  }

  /** Whether the call may run, and whether it is paid already; otherwise why the payment buys nothing now. */
  async #admit(call: RunningCall): Promise<{ readonly isPaid: boolean } | Problem> {
    if (call.isPrepaid) return { isPaid: true }
    const problem = await this.#admission.admit(call)
    if (!problem) return { isPaid: false }
    if (!call.isKeySigned || PROBLEMS[problem.code].status !== 402) return problem
    const found = await this.#prepaid.look(call)
    return found === 'proved' ? { isPaid: true } : (found ?? problem)
  }

  /**
   * The deadline of a handler: its time limit, and until it is paid, the end of its authorization and the
   * client's disconnect.
   */
  #startDeadline({ exchange, payment }: RunningCall, isPaid: boolean): Deadline {
    const { timeoutMs } = exchange.endpoint.limits
    if (isPaid) return startCallDeadline(timeoutMs)
    const restMs = payment.validBefore * 1000 - this.#clock().getTime() - SETTLEMENT_REST_MS
    return startCallDeadline(Math.min(timeoutMs, Math.max(restMs, MIN_RUN_MS)), exchange.request.signal)
  }

  /** @param giveUp what to do with the row if the handler returns no answer. */
  async #runHandler(
    call: RunningCall,
    deadline: Deadline,
    giveUp: (code: string) => Promise<unknown>,
  ): Promise<Answer | Reply> {
    const { exchange, read, payment, lease } = call
    const caller = {
      payer: payment.payer,
      callId: callIdOf(call.reservation),
      effects: createCallEffects(lease),
    }
    let isLive = false
    try {
      const answer = await inStep('run handler', () => exchange.run(read, caller, deadline.signal))
      isLive = answer.kind === 'stream'
      return answer
    } catch (error) {
      const hasLeft = exchange.request.signal.aborted
      if (error instanceof UnchargedAnswer && !hasLeft) {
        await giveUp(UNCHARGED)
        return error.reply
      }
      const problem = hasLeft ? GONE : this.#explain(error)
      if (error instanceof ProblemError && error.isStrike)
        await this.#exposure.strike(lease, payment.payer, false)
      await giveUp(problem.code)
      return hasLeft ? this.#refusals.gone() : this.#refusals.refuse(exchange, problem)
    } finally {
      if (!isLive) deadline.clear()
    }
  }
}

/** @param end called when the stream has ended. */
async function serveLive(
  live: Omit<LiveCall, 'onEnd'>,
  end: () => void,
  serve: (call: LiveCall) => Promise<Reply>,
): Promise<Served> {
  const onEnd = () => {
    live.deadline.clear()
    end()
    live.budget.end()
  }
  try {
    return { reply: await serve({ ...live, onEnd }), isLive: true }
  } catch (error) {
    live.deadline.abort(error)
    throw error
  }
}

/** A reply, and whether its body is still being produced. */
type Served = { readonly reply: Reply; readonly isLive: boolean }

function whole(reply: Reply): Served {
  return { reply, isLive: false }
}

/**
 * A released authorization may be used for another request, which is another call. Handlers derive public ids
 * from it, which reveal nothing of the payment, because both parts are hashes with our key.
 */
export function callIdOf({ id, fingerprint }: Pick<Reservation, 'id' | 'fingerprint'>): string {
  const text = `${id}/${fingerprint}`
  return hash('sha256', text, 'hex').slice(0, CALL_ID_DIGITS)
}
