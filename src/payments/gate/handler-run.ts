import { createHash } from 'node:crypto'
import type { Answer } from '../../catalogue/answer.ts'
import { runFor } from '../../flow/owner.ts'
import { PROBLEMS, type Problem, ProblemError } from '../../http/problem.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { Authorizations, Claim } from '../ledger/authorizations.ts'
import { createCallEffects } from '../ledger/call-effects.ts'
import type { Admission } from './admission.ts'
import { type BufferedCalls, toAnswerReply, toStored } from './buffered-call.ts'
import type { RunningCall } from './paid-call.ts'
import type { PrepaidCalls } from './prepaid-call.ts'
import type { Refusals } from './refusals.ts'
import type { LiveCall, StreamedAnswer, StreamedCalls } from './streamed-call.ts'

/**
 * Part of an authorization's lifetime that is reserved for its settlement; the handler has to stop before.
 */
const SETTLEMENT_REST_MS = 4_000
const MIN_RUN_MS = 1_000
/** 128 bits, so that ids of calls do not collide. */
const CALL_ID_DIGITS = 32

/** Runs handlers for reserved authorizations. */
export interface HandlerRuns {
  run(call: RunningCall): Promise<Reply>
  /** For a stream that was settled and cut short. */
  rerun(call: RunningCall, paymentResponse: string): Promise<Reply>
}

/**
 * A handler's run. It is aborted at its time limit, and, until it is paid, at the authorization's end or when
 * the client disconnects.
 */
type Run = {
  readonly abort: AbortController
  readonly outliveClient: () => void
  readonly end: () => void
}

export function createHandlerRuns(parts: {
  readonly authorizations: Authorizations
  readonly admission: Admission
  readonly prepaid: PrepaidCalls
  readonly buffered: BufferedCalls
  readonly streamed: StreamedCalls
  readonly refusals: Refusals
  readonly explain: (error: unknown) => Problem
  readonly clock: () => Date
  readonly releaseClaim: (claim: Claim) => void
}): HandlerRuns {
  const { authorizations, admission, prepaid, buffered, streamed, refusals, explain, clock, releaseClaim } =
    parts

  function begin({ exchange, payment, claim, budget }: RunningCall, isPaid: boolean): Run {
    const abort = new AbortController()
    const { signal } = exchange.request
    const leave = () => abort.abort(signal.reason)
    if (!isPaid) signal.addEventListener('abort', leave, { once: true })
    if (!isPaid && signal.aborted) leave()
    const startedMs = clock().getTime()
    const restMs = payment.validBefore * 1000 - startedMs - SETTLEMENT_REST_MS
    const { timeoutMs } = exchange.endpoint.limits
    const limitMs = isPaid ? timeoutMs : Math.min(timeoutMs, Math.max(restMs, MIN_RUN_MS))
    const limitTo = (ms: number) => setTimeout(() => abort.abort(new ProblemError(TOOK_TOO_LONG)), ms).unref()
    let timer = limitTo(limitMs)
    function outliveClient(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      timer = limitTo(timeoutMs)
    }
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      budget.addRun(clock().getTime() - startedMs)
      releaseClaim(claim)
    }
    return { abort, outliveClient, end }
  }

  /** Why the payment buys nothing now, or null. */
  async function admit(call: RunningCall, run: Run): Promise<Problem | null> {
    const problem = await admission.admit(call)
    if (!problem || !call.isKeySigned || PROBLEMS[problem.code].status !== 402) return problem
    const found = await prepaid.look(call)
    if (found !== 'proved') return found ?? problem
    run.outliveClient()
    return null
  }

  /** @param refuse what to do with the row if the handler returns no answer. */
  async function answerOf(call: RunningCall, run: Run, refuse: (code: string) => Promise<unknown>) {
    const { exchange, read, payment } = call
    const callId = callIdOf(call)
    try {
      const caller = { payer: payment.payer, callId, effects: createCallEffects(call.claim) }
      return await exchange.run(read, caller, run.abort.signal)
    } catch (error) {
      const hasLeft = exchange.request.signal.aborted
      const problem = hasLeft ? GONE : explain(error)
      await refuse(problem.code)
      return hasLeft ? refusals.gone() : refusals.refuse(exchange, problem)
    }
  }

  /** Runs on behalf of the payer, so that engines are shared fairly between payers. */
  async function guarded(
    { call, run }: { readonly call: RunningCall; readonly run: Run },
    act: () => Promise<{ readonly reply: Reply; readonly isLive: boolean }>,
  ): Promise<Reply> {
    let isLive = false
    try {
      const outcome = await runFor(call.payment.payer, act)
      isLive = outcome.isLive
      return outcome.reply
    } finally {
      if (!isLive) run.end()
    }
  }

  return {
    run: (call) => {
      const run = begin(call, call.isPrepaid)
      return guarded({ call, run }, async () => {
        const problem = call.isPrepaid ? null : await admit(call, run)
        if (problem) {
          await authorizations.release(call.claim, problem.code, false)
          return { reply: refusals.refuse(call.exchange, problem), isLive: false }
        }
        const answer = await answerOf(call, run, (code) => authorizations.release(call.claim, code, true))
        if (!('kind' in answer)) return { reply: answer, isLive: false }
        if (answer.kind !== 'stream') {
          const reply = await buffered.serve(call, answer)
          if (reply.status < 300) call.budget.giveBack()
          return { reply, isLive: false }
        }
        return { reply: await streamed.serve(toLive(call, answer, run)), isLive: true }
      })
    },
    rerun: (call, paymentResponse) => {
      const run = begin(call, true)
      // Its first run has paid for it.
      call.budget.giveBack()
      return guarded({ call, run }, async () => {
        const giveUp = () => authorizations.finish(call.claim, false, null)
        const answer: Answer | Reply = await answerOf(call, run, giveUp)
        if (!('kind' in answer)) return { reply: answer, isLive: false }
        if (answer.kind !== 'stream') {
          await authorizations.finish(call.claim, true, null)
          return { reply: toAnswerReply(toStored(answer), paymentResponse), isLive: false }
        }
        return {
          reply: await streamed.serveSettled(toLive(call, answer, run), paymentResponse),
          isLive: true,
        }
      })
    },
  }
}

function toLive(call: RunningCall, answer: StreamedAnswer, run: Run): LiveCall {
  const onEnd = () => {
    run.end()
    call.budget.end()
  }
  return { ...call, answer, abort: run.abort, outliveClient: run.outliveClient, onEnd }
}

/**
 * A released authorization may be used for another request, which is another call. Handlers derive public ids
 * from it, which reveal nothing of the payment, because both parts are hashes with our key.
 */
function callIdOf({ reservation }: RunningCall): string {
  const text = `${reservation.id}/${reservation.fingerprint}`
  return createHash('sha256').update(text).digest('hex').slice(0, CALL_ID_DIGITS)
}

const TOOK_TOO_LONG: Problem = {
  code: 'upstream_timeout',
  detail: 'The call took too long and was stopped. Nothing was charged.',
}

const GONE: Problem = { code: 'unavailable', detail: 'The client disconnected.' }
