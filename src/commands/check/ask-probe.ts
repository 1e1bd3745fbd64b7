import type { Config } from '../../config.ts'
import { Unreachable } from '../../fetching/failure.ts'
import type { FetchedAnswer, FetchRequest } from '../../fetching/fetched-answer.ts'
import { parseJson } from '../../fetching/parse-json.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { outsideOptions } from '../setup/outside.ts'
import type { Finding } from './finding.ts'

/** A question to an upstream of the operator's that costs nothing, or next to nothing. */
export type Probe = {
  /** What the finding is called. */
  readonly name: string
  readonly url: string
  /** The setting that names the upstream, and the one with its key. */
  readonly setting: string
  readonly keySetting: string
  readonly headers?: FetchRequest['headers']
  /** What an answer of 200 says, read as JSON. */
  readonly judge: (json: unknown) => Pick<Finding, 'verdict' | 'text'>
  /** Said of one that refuses the question (401, 403); default that the key is to be renewed. */
  readonly ifRefused?: Pick<Finding, 'verdict' | 'text'>
  /** Said of an upstream that does not know the address; default that the setting is wrong. */
  readonly ifUnknown?: Pick<Finding, 'verdict' | 'text'>
}

const TIMEOUT_MS = 10_000
/** Lists of models are the longest answers that are asked for. */
const MAX_BYTES = 4_000_000

/** Asks, and says in one line what is well and what to do. Neither keys nor the upstream's words are told. */
export async function askProbe(config: Config, probe: Probe): Promise<Finding> {
  const { host } = new URL(probe.url)
  const say = ({ verdict, text }: Pick<Finding, 'verdict' | 'text'>): Finding => {
    return { verdict, name: probe.name, text: `${host} ${text}` }
  }
  // The operator names the upstream, which may well run beside the service.
  const fetch = createSafeFetch({
    ...outsideOptions(config, 'http://127.0.0.1'),
    allowPrivateNetwork: true,
    refusedHosts: new Set(),
  })
  let answer: FetchedAnswer
  try {
    const bounds = { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, maxRedirects: 0 }
    answer = await fetch(probe.url, {
      ...bounds,
      accept: 'application/json',
      ...(probe.headers && { headers: probe.headers }),
    })
  } catch (error) {
    const isLate = error instanceof Unreachable && error.isLate
    const what = isLate ? `does not answer within ${TIMEOUT_MS / 1000} s` : 'cannot be reached'
    return say({ verdict: 'fault', text: `${what}; see that it runs, and ${probe.setting}` })
  }
  const { status } = answer
  if (status === 200) return say(probe.judge(parseJson(answer.body)))
  if (status === 401 || status === 403) {
    const text = `refuses the credentials (${status}); renew ${probe.keySetting}`
    return say(probe.ifRefused ?? { verdict: 'fault', text })
  }
  if (status === 429)
    return say({ verdict: 'note', text: 'answers, and takes no more requests for now (429)' })
  if (status === 404 && probe.ifUnknown) return say(probe.ifUnknown)
  if (status < 500)
    return say({ verdict: 'fault', text: `answers with status ${status}; see ${probe.setting}` })
  return say({ verdict: 'fault', text: `answers with status ${status}; it fails by itself` })
}
