import assert from 'node:assert/strict'
import { onSqliteState } from '../../../test/every-state.ts'
import { testWorkers } from '../../../test/open-social.ts'
import { openXUpstream } from '../../../test/x-upstream.ts'
import { loadConfig } from '../../config.ts'
import { isStoreAlone, openSocialProvider } from './social-provider.ts'

const upstream = await openXUpstream()

onSqliteState('the settings name where social data comes from', async (state) => {
  const open = (environment: Readonly<Record<string, string>>) => {
    const config = loadConfig({ TOLLBOOK_X_URL: upstream.url, TOLLBOOK_X_TOKEN: 'app-token', ...environment })
    const provider = openSocialProvider({
      config,
      baseUrl: 'https://t.example',
      state,
      workers: testWorkers(),
    })
    return { name: provider.name, operations: provider.operations, isAlone: isStoreAlone(config) }
  }
  const names = ['', 'store', 'x', 'store,x'].map((value) => open({ TOLLBOOK_SOCIAL_PROVIDERS: value }))
  assert.deepEqual(
    names.map(({ name, isAlone, operations }) => [name, isAlone, operations.tweetsOfCommunity !== undefined]),
    [
      ['store', true, true],
      ['store', true, true],
      ['x', false, false],
      ['store,x', false, true],
    ],
  )
  upstream.answer = ({ path }) =>
    path === '/2/users/search'
      ? { body: { data: [], meta: {} } }
      : { body: { data: { id: '20', text: 'T' } } }
  const signal = new AbortController().signal
  const chain = open({ TOLLBOOK_SOCIAL_PROVIDERS: 'store,x', TOLLBOOK_X_USER_TOKEN: 'user-token' }).operations
  assert.equal((await chain.tweetById?.('20', { signal }))?.data.text, 'T')
  await chain.searchUsers?.('jun', { limit: 20, position: null }, { signal })
  assert.deepEqual(
    upstream.asked.map(({ headers }) => headers.authorization),
    ['Bearer app-token', 'Bearer user-token'],
  )
  assert.match(String(upstream.asked[0]?.headers['user-agent']), /^Tollbook\/.*t\.example/)
  const budget = { TOLLBOOK_SOCIAL_PROVIDERS: 'x', TOLLBOOK_SOCIAL_BUDGET: 'searchTweet=5' }
  assert.throws(() => open(budget), /there is no operation searchTweet$/m)
})
