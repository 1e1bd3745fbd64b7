import { askProbe } from '@tollbook/runtime/check/ask-probe'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import * as z from 'zod'

const NAME = 'search'
/** https://docs.searxng.org/src/searx.webapp.html, `/config`: describes an instance, without a search. */
const instance = z.object({ engines: z.array(z.object({ enabled: z.boolean().optional() })) })
/** https://docs.tavily.com/documentation/api-reference/endpoint/usage */
const usage = z.object({
  key: z.object({ usage: z.number(), limit: z.number().nullish() }).optional(),
  account: z.object({ plan_usage: z.number(), plan_limit: z.number().nullish() }).optional(),
})

/** Checks the upstreams of `/api/search` by free requests, without a search. */
export async function checkSearch(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  if (config.TOLLBOOK_SEARXNG_URL !== undefined)
    findings.push(await checkSearxng(config, config.TOLLBOOK_SEARXNG_URL))
  if (config.TOLLBOOK_SEARCH_URL !== undefined)
    findings.push(await checkTavily(config, config.TOLLBOOK_SEARCH_URL))
  if (findings.length > 0) return findings
  const own = 'no upstream is set; searches the pages of tollbook import pages'
  const url = config.TOLLBOOK_MEDIAWIKI_URL
  const text = url === 'off' ? `${own}, and is not sold without any` : `${own}, else ${new URL(url).host}`
  return [{ verdict: 'note', name: NAME, text }]
}

function checkSearxng(config: Config, url: string): Promise<Finding> {
  const setting = 'TOLLBOOK_SEARXNG_URL'
  return askProbe(config, {
    name: NAME,
    url: `${url}/config`,
    setting,
    keySetting: setting,
    judge(json) {
      const read = instance.safeParse(json)
      if (!read.success) return { verdict: 'failed', text: `is not SearXNG; check ${setting}` }
      const engines = read.data.engines.filter(({ enabled = true }) => enabled).length
      if (engines === 0) return { verdict: 'failed', text: 'has no engine; enable some in its settings.yml' }
      const json_ = 'its settings.yml must list json under search: formats'
      return { verdict: 'ok', text: `searches with ${engines} engines; ${json_}` }
    },
    ifRefused: {
      verdict: 'note',
      text: 'answers, but does not show its configuration, so it is unchecked',
    },
    ifUnknown: {
      verdict: 'note',
      text: 'answers, but does not show its configuration, so it is unchecked',
    },
  })
}

function checkTavily(config: Config, url: string): Promise<Finding> {
  const { TOLLBOOK_SEARCH_KEY: key } = config
  return askProbe(config, {
    name: NAME,
    url: `${url.replace(/\/search$/, '')}/usage`,
    setting: 'TOLLBOOK_SEARCH_URL',
    keySetting: 'TOLLBOOK_SEARCH_KEY',
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    judge(json) {
      const { key, account } = usage.safeParse(json).data ?? {}
      const [used, max] =
        key?.limit != null ? [key.usage, key.limit] : [account?.plan_usage, account?.plan_limit]
      if (used === undefined || max == null) return { verdict: 'ok', text: 'accepts TOLLBOOK_SEARCH_KEY' }
      const text = `accepts TOLLBOOK_SEARCH_KEY; ${used} of ${max} credits are used`
      return { verdict: used < max ? 'ok' : 'failed', text }
    },
    ifUnknown: {
      verdict: 'note',
      text: 'answers, but does not report its usage, so the key is unchecked',
    },
  })
}
