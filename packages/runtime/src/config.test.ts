import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '@tollbook/flow/config-error'
import { loadConfig, SETTINGS, withServices } from './config.ts'
import { REMOVED_SETTINGS } from './settings/removed-settings.ts'

const UTILITY = { name: 'utility', port: 4022 }

test('without settings everything has its default', () => {
  const config = loadConfig({})
  assert.equal(config.TOLLBOOK_REPORT_PORT, 4020)
  assert.equal(config.TOLLBOOK_HOST, '127.0.0.1')
  assert.equal(config.TOLLBOOK_CHAIN_RPC_URL, undefined)
})

test('all errors are reported at once, without values', () => {
  const wrong = { TOLLBOOK_REPORT_PORT: 'x', TOLLBOOK_FACILITATOR_KEY: '0xsecret', TOLLBOOK_TYPO: '1' }
  assert.throws(
    () => loadConfig(wrong),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      assert.equal(error.issues.length, 3)
      assert.match(error.message, /TOLLBOOK_REPORT_PORT/)
      assert.match(error.message, /TOLLBOOK_FACILITATOR_KEY/)
      assert.match(error.message, /TOLLBOOK_TYPO: no such setting/)
      assert.doesNotMatch(error.message, /secret/)
      return true
    },
  )
})

test('an invalid setting is explained in words', () => {
  for (const [name, value, words] of [
    ['TOLLBOOK_REPORT_PORT', 'x', 'must be a number'],
    ['TOLLBOOK_REPORT_PORT', '1.5', 'must be a whole number'],
    ['TOLLBOOK_REPORT_PORT', '70000', 'must be at most 65535'],
    ['TOLLBOOK_LEDGER_WEEKS', '1', 'must be at least 2'],
    ['TOLLBOOK_LOG_LEVEL', 'loud', 'must be one of debug, info, warn, error, silent'],
    ['TOLLBOOK_SEARXNG_URL', 'searx', 'must be a URL'],
  ] as const) {
    assert.throws(() => loadConfig({ [name]: value }), { issues: [`${name}: ${words}`] })
  }
})

test('an issue in a list names the entry as a person counts, and what is wrong with it', () => {
  const issuesOf = (settings: Record<string, string>) => {
    try {
      loadConfig(settings)
      return []
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.issues
    }
  }
  assert.deepEqual(issuesOf({ TOLLBOOK_CHAIN_RPC_URL: 'https://node.example,localhost' }), [
    'TOLLBOOK_CHAIN_RPC_URL: must be a URL (entry 2)',
  ])
  assert.match(
    issuesOf({ TOLLBOOK_TRUSTED_PROXIES: 'caddy' }).join(),
    /^TOLLBOOK_TRUSTED_PROXIES: "caddy" is not/,
  )
  for (const right of ['10.0.0.1', '10.0.0.0/8, fd00::/8', '::1'])
    assert.deepEqual(issuesOf({ TOLLBOOK_TRUSTED_PROXIES: right }), [], right)
})

test('a misspelled setting is told the right name', () => {
  assert.throws(() => loadConfig({ TOLLBOOK_LOG_LEVLE: 'info' }), {
    issues: ['TOLLBOOK_LOG_LEVLE: no such setting; did you mean TOLLBOOK_LOG_LEVEL?'],
  })
  const config = loadConfig({ TOLLBOOK_UTILTY_BASE_URL: 'https://api.example' })
  assert.throws(() => withServices(config, [UTILITY]), {
    issues: ['TOLLBOOK_UTILTY_BASE_URL: no such setting; did you mean TOLLBOOK_UTILITY_BASE_URL?'],
  })
})

test('any service has settings, by the name of the service', () => {
  const payTo = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'
  const config = loadConfig({
    TOLLBOOK_MY_SHOP_PORT: '4999',
    TOLLBOOK_MY_SHOP_PAY_TO: payTo,
    TOLLBOOK_MY_SHOP_BASE_URL: 'https://shop.example/',
    TOLLBOOK_MY_SHOP_TAGS: 'one,two',
    TOLLBOOK_MY_UTILITY_PORT: '0',
  })
  const { services } = withServices(config, [UTILITY, { name: 'my-shop', port: 4030 }])
  assert.deepEqual([...services.keys()], ['utility', 'my-shop', 'my-utility'])
  assert.deepEqual(services.get('my-shop'), {
    port: 4999,
    baseUrl: 'https://shop.example',
    aliases: [],
    tags: ['one', 'two'],
    payTo,
    set: ['PORT', 'BASE_URL', 'TAGS', 'PAY_TO'],
  })
  assert.equal(services.get('utility')?.port, 4022)
  assert.equal(services.get('my-utility')?.port, 0)
  const issues = ['TOLLBOOK_MY_SHOP_PORT: must be at most 65535']
  assert.throws(() => loadConfig({ TOLLBOOK_MY_SHOP_PORT: '70000' }), { issues })
  // Parts that are not sold have no wallet.
  assert.throws(() => loadConfig({ TOLLBOOK_REPORT_PAY_TO: payTo }), /REPORT_PAY_TO: no such setting/)
})

test('a setting that was removed is refused with what to do instead, and no longer exists', () => {
  for (const [name, instead] of Object.entries(REMOVED_SETTINGS)) {
    assert.throws(() => loadConfig({ [name]: 'x' }), { issues: [`${name}: was removed; ${instead}`] })
    assert.equal(name in SETTINGS, false)
  }
})

test('a payee with a wrong digit, or that nobody can move money from, is refused by name', () => {
  const wrong = {
    TOLLBOOK_SOCIAL_PAY_TO: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    TOLLBOOK_UTILITY_PAY_TO: `0x${'0'.repeat(40)}`,
    TOLLBOOK_INFERENCE_PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    TOLLBOOK_FACILITATOR_PAYEES:
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359,0x000000000022D473030F116dDEE9F6B43aC78BA3',
    TOLLBOOK_FACILITATOR_REFUSED: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    TOLLBOOK_FACILITATOR_KEY: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    TOLLBOOK_FACILITATOR_MORE_KEYS: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
  }
  assert.throws(
    () => loadConfig(wrong),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      const issues = new Map(error.issues.map((issue) => issue.split(': ', 2) as [string, string]))
      assert.deepEqual([...issues.keys()].sort(), Object.keys(wrong).sort())
      assert.match(issues.get('TOLLBOOK_SOCIAL_PAY_TO') ?? '', /EIP-55 checksum/)
      assert.match(issues.get('TOLLBOOK_UTILITY_PAY_TO') ?? '', /the zero address/)
      assert.match(issues.get('TOLLBOOK_INFERENCE_PAY_TO') ?? '', /the USDC contract/)
      assert.match(issues.get('TOLLBOOK_FACILITATOR_PAYEES') ?? '', /the Permit2 contract/)
      return true
    },
  )
})

test('an empty setting counts as absent', () => {
  assert.equal(loadConfig({ TOLLBOOK_STATE_URL: '' }).TOLLBOOK_STATE_URL, undefined)
})

test('variables of the tests are not settings', () => {
  assert.deepEqual(loadConfig({ TOLLBOOK_TEST_POSTGRES_URL: 'postgres://localhost/x' }), loadConfig({}))
})

test('the sources of social data are the store, a network, or a network behind the store', () => {
  const read = (providers: string, more = {}) =>
    loadConfig({ TOLLBOOK_SOCIAL_PROVIDERS: providers, TOLLBOOK_X_TOKEN: 'secret', ...more })
  assert.deepEqual(read('store, x').TOLLBOOK_SOCIAL_PROVIDERS, ['store', 'x'])
  assert.deepEqual(read('x').TOLLBOOK_SOCIAL_PROVIDERS, ['x'])
  assert.deepEqual(read('store,bluesky').TOLLBOOK_SOCIAL_PROVIDERS, ['store', 'bluesky'])
  for (const wrong of ['x,store', 'x,x', 'x,bluesky', 'store,store', 'store,x,bluesky', 'y', ','])
    assert.throws(() => read(wrong), /TOLLBOOK_SOCIAL_PROVIDERS/, wrong)
  assert.throws(() => read('x', { TOLLBOOK_X_TOKEN: '' }), /TOLLBOOK_X_TOKEN: is needed/)
  const { TOLLBOOK_SOCIAL_BUDGET } = read('x', { TOLLBOOK_SOCIAL_BUDGET: 'searchTweets=2000 *=50000' })
  assert.deepEqual(TOLLBOOK_SOCIAL_BUDGET, { searchTweets: 2000, '*': 50_000 })
  assert.throws(() => read('x', { TOLLBOOK_SOCIAL_BUDGET: 'much' }), /TOLLBOOK_SOCIAL_BUDGET/)
})

test('a browser is named by its debugging protocol or port, and a key in it is never shown', () => {
  const read = (url: string) => loadConfig({ TOLLBOOK_BROWSER_WS: url }).TOLLBOOK_BROWSER_WS
  assert.equal(read('wss://browser.example/?token=secret'), 'wss://browser.example/?token=secret')
  assert.equal(read('http://127.0.0.1:9222/'), 'http://127.0.0.1:9222')
  assert.throws(() => read('ftp://secret@browser.example'), /^(?!.*secret).*TOLLBOOK_BROWSER_WS/s)
})
