import { Unreachable } from '@tollbook/flow/failure'
import type { FetchedAnswer } from './fetched-answer.ts'
import { ALLOW_ALL, parseRobots, type RobotsRules } from './parse-robots.ts'

/** The product token that robots.txt files use for Tollbook. */
const PRODUCT_TOKEN = 'Tollbook'

/**
 * The rules of a robots.txt response (RFC 9309 section 2.3.1): everything is allowed if the host has none.
 * @throws Unreachable for any other answer, such as 503; nothing may be fetched then.
 */
export function toRobotsRules({ status, body }: FetchedAnswer): RobotsRules {
  if (status >= 200 && status < 300) return parseRobots(new TextDecoder().decode(body), PRODUCT_TOKEN)
  if (status >= 400 && status < 500 && status !== 429) return ALLOW_ALL
  throw new Unreachable(`the host answered ${status}`)
}
