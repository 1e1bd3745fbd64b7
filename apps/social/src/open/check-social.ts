import { ProblemError } from '@tollbook/http/problem'
import { askProbe } from '@tollbook/runtime/check/ask-probe'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import * as z from 'zod'
import { openOAuth } from './open-social.ts'

/** Counts are numbers or strings. */
const count = z.union([z.int(), z.string().regex(/^\d{1,15}$/)]).transform(Number)
/** https://docs.x.com/x-api/usage/get-usage */
const usage = z.object({ data: z.object({ project_usage: count.optional(), project_cap: count.optional() }) })
const me = z.object({ data: z.object({ username: z.string() }) })
/** `app.bsky.feed.searchPosts` and `app.bsky.actor.searchActors`. */
const posts = z.object({ posts: z.array(z.unknown()) })
const actors = z.object({ actors: z.array(z.unknown()) })
/** https://github.com/did-method-plc/did-method-plc */
const health = z.looseObject({ version: z.string() })

/** Checks whether the configured networks answer and accept the credentials. */
export async function checkSocial(config: Config): Promise<readonly Finding[]> {
  const names = config.TOLLBOOK_SOCIAL_PROVIDERS
  const own: readonly Finding[] = [
    { verdict: 'ok', name: 'social', text: `answers from ${names.join(', then from ')}` },
  ]
  return [
    ...own,
    ...(names.includes('x') ? await checkX(config) : []),
    ...(config.TOLLBOOK_X_OAUTH_CLIENT_ID === undefined ? [] : [await checkSignIn(config)]),
    ...(names.includes('bluesky') ? await checkBluesky(config) : []),
  ]
}

async function checkX(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_X_URL: url, TOLLBOOK_X_TOKEN: token, TOLLBOOK_X_USER_TOKEN: userToken } = config
  const place = { name: 'x', setting: 'TOLLBOOK_X_URL' }
  const app = await askProbe(config, {
    ...place,
    keySetting: 'TOLLBOOK_X_TOKEN',
    url: `${url}/2/usage/tweets`,
    headers: { authorization: `Bearer ${token}` },
    judge(json) {
      const read = usage.safeParse(json)
      if (!read.success) return { verdict: 'failed', text: 'is not an X API; check TOLLBOOK_X_URL' }
      const { project_usage: used, project_cap: cap } = read.data.data
      if (used === undefined || cap === undefined) return { verdict: 'ok', text: 'accepts TOLLBOOK_X_TOKEN' }
      const usageText = `accepts TOLLBOOK_X_TOKEN; ${used} of ${cap} posts of this month were read`
      if (used < cap) return { verdict: 'ok', text: usageText }
      return {
        verdict: 'failed',
        text: `${usageText}; no more are available until the next month or with a larger plan`,
      }
    },
    ifUnknown: {
      verdict: 'note',
      text: 'answers, but reports no usage, so TOLLBOOK_X_TOKEN is unchecked',
    },
  })
  if (userToken === undefined) {
    const text = 'no TOLLBOOK_X_USER_TOKEN is set; X requires it for searching users'
    return [app, { verdict: 'note', name: 'x', text }]
  }
  const user = await askProbe(config, {
    ...place,
    keySetting: 'TOLLBOOK_X_USER_TOKEN',
    url: `${url}/2/users/me`,
    headers: { authorization: `Bearer ${userToken}` },
    judge(json) {
      const read = me.safeParse(json)
      if (!read.success)
        return { verdict: 'failed', text: 'does not return the user of TOLLBOOK_X_USER_TOKEN' }
      return { verdict: 'ok', text: `accepts TOLLBOOK_X_USER_TOKEN of @${read.data.data.username}` }
    },
  })
  return [app, user]
}

/** Renews a token that was never issued: an upstream that rejects only the token knows the application. */
async function checkSignIn(config: Config): Promise<Finding> {
  const name = 'sign-in'
  const client = 'TOLLBOOK_X_OAUTH_CLIENT_ID and TOLLBOOK_X_OAUTH_CLIENT_SECRET'
  const oauth = openOAuth(config, config.services.get('social')?.baseUrl ?? 'http://127.0.0.1')
  try {
    await oauth?.renew('tollbook-check')
    return {
      verdict: 'failed',
      name,
      text: 'the upstream renews any token; check TOLLBOOK_X_OAUTH_TOKEN_URL',
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    if (error.problem.code === 'credential_refused')
      return { verdict: 'ok', name, text: `the application is known; register ${oauth?.redirectUrl}` }
    return { verdict: 'failed', name, text: `${error.problem.detail} Check ${client}.` }
  }
}

async function checkBluesky(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_BLUESKY_URL: url, TOLLBOOK_PLC_URL: plc } = config
  const setting = 'TOLLBOOK_BLUESKY_URL'
  const place = { name: 'bluesky', setting, keySetting: setting }
  const isAppView = { verdict: 'failed', text: `is not an AppView; check ${setting}` } as const
  return [
    await askProbe(config, {
      ...place,
      url: `${url}/xrpc/app.bsky.actor.searchActors?q=a&limit=1`,
      judge: (json) => (actors.safeParse(json).success ? { verdict: 'ok', text: 'answers' } : isAppView),
    }),
    // The public AppView may reject it from callers without an account.
    await askProbe(config, {
      ...place,
      url: `${url}/xrpc/app.bsky.feed.searchPosts?q=a&limit=1`,
      ifRefused: {
        verdict: 'failed',
        text: `does not search posts without an account, so /tweets/search is an uncharged 502; set another AppView in ${setting}`,
      },
      judge: (json) =>
        posts.safeParse(json).success ? { verdict: 'ok', text: 'searches posts' } : isAppView,
    }),
    await askProbe(config, {
      name: 'bluesky',
      setting: 'TOLLBOOK_PLC_URL',
      keySetting: 'TOLLBOOK_PLC_URL',
      url: `${plc}/_health`,
      judge: (json) =>
        health.safeParse(json).success
          ? { verdict: 'ok', text: 'is the account directory' }
          : { verdict: 'failed', text: 'is not an account directory; check TOLLBOOK_PLC_URL' },
    }),
  ]
}
