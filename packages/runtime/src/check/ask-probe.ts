import { Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import type { FetchedAnswer, FetchRequest } from '@tollbook/safe-fetch/fetched-answer'
import type { Config } from '../config.ts'
import { createUpstreamFetch } from '../places/outside.ts'
import type { Finding } from './finding.ts'

/** A request to an operator's upstream that costs nothing or next to nothing. */
export type Probe = {
  /** The subject of the finding. */
  readonly name: string
  readonly url: string
  /** The setting that names the upstream, and the one with its key. */
  readonly setting: string
  readonly keySetting: string
  readonly headers?: FetchRequest['headers']
  /** Interprets the JSON body of a 200. */
  readonly judge: (json: unknown) => Pick<Finding, 'verdict' | 'text'>
  /** Advice if the upstream rejects the credentials (401, 403); default: renew the key. */
  readonly ifRefused?: Pick<Finding, 'verdict' | 'text'>
  /** Advice if the upstream does not know the URL; default: the setting is wrong. */
  readonly ifUnknown?: Pick<Finding, 'verdict' | 'text'>
}

const TIMEOUT_MS = 10_000
/** Lists of models are the largest answers. */
const MAX_BYTES = 4_000_000

/** Sends the request and returns one line of advice, without keys and the upstream's own text. */
export async function askProbe(config: Config, probe: Probe): Promise<Finding> {
  const { host } = new URL(probe.url)
  const report = ({ verdict, text }: Pick<Finding, 'verdict' | 'text'>): Finding => {
    return { verdict, name: probe.name, text: `${host} ${text}` }
  }
  const fetch = createUpstreamFetch(config, 'http://127.0.0.1')
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
    const what = isLate ? `timed out after ${TIMEOUT_MS / 1000} s` : 'cannot be reached'
    return report({ verdict: 'failed', text: `${what}; check that it runs, and ${probe.setting}` })
  }
  const { status } = answer
  if (status === 200) return report(probe.judge(parseJson(answer.body)))
  if (status === 401 || status === 403) {
    const text = `rejects the credentials (${status}); renew ${probe.keySetting}`
    return report(probe.ifRefused ?? { verdict: 'failed', text })
  }
  if (status === 429) return report({ verdict: 'note', text: 'reachable, but rate limited for now (429)' })
  if (status === 404 && probe.ifUnknown) return report(probe.ifUnknown)
  if (status < 500)
    return report({ verdict: 'failed', text: `answers with status ${status}; check ${probe.setting}` })
  return report({ verdict: 'failed', text: `answers with status ${status}; the upstream itself is failing` })
}
