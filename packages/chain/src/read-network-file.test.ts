import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { InvalidNetworkFile, readNetworkFile } from './read-network-file.ts'

const FILE = {
  name: 'base-copy',
  title: 'A copy of Base',
  chain_id: 84_539,
  is_test: true,
  token: {
    address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    name: 'Dollars',
    version: '1',
    decimals: 6,
  },
  explorer_url: 'https://explorer.example/',
  block_seconds: 0.25,
}

function issuesOf(change: object): readonly string[] {
  try {
    readNetworkFile(JSON.stringify({ ...FILE, ...change }))
  } catch (error) {
    assert.ok(error instanceof InvalidNetworkFile)
    return error.issues
  }
  return []
}

test('a network file is a network', () => {
  assert.deepEqual(readNetworkFile(JSON.stringify(FILE)), {
    chainId: 84_539,
    id: 'eip155:84539',
    nameV1: 'base-copy',
    title: 'A copy of Base',
    isTest: true,
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    usdcName: 'Dollars',
    usdcVersion: '1',
    decimals: 6,
    explorerUrl: 'https://explorer.example',
    safeTag: 'safe',
    finalTag: 'finalized',
    genesisSeconds: null,
    blockSeconds: 0.25,
    // 604,800 seconds a week, four blocks a second.
    weekBlocks: 2_419_200,
  })
  const last = readNetworkFile(
    JSON.stringify({ ...FILE, finality: 'latest', genesis_seconds: 1_700_000_000 }),
  )
  assert.deepEqual([last.safeTag, last.finalTag, last.genesisSeconds], ['latest', 'latest', 1_700_000_000])
})

test('an issue of a network file names its field', () => {
  const { token } = FILE
  const cases = [
    [{ name: 'base' }, 'name: is the name of a built-in network'],
    [{ name: 'My Chain' }, 'name: must be lower-case words with hyphens, such as my-chain'],
    [{ chain_id: 8453 }, 'chain_id: is the id of a built-in network'],
    [{ chain_id: '1' }, 'chain_id: must be a whole number'],
    [{ is_test: undefined }, 'is_test: must be true, or false if its money has a value'],
    [{ token: '0x' }, 'token: must be an object with address, name, version and decimals'],
    [{ token: { ...token, decimals: 18 } }, 'token.decimals: must be 6: amounts are micro-dollars'],
    [
      { token: { ...token, address: '0x036CbD53842c5426634e7929541eC2318f3dCF7E' } },
      'token.address: does not match its EIP-55 checksum (check for a wrong digit)',
    ],
    [{ token: { ...token, name: 'USD₮'.repeat(6) } }, 'token.name: must have at most 31 bytes'],
    [{ explorer_url: 'ftp://explorer' }, 'explorer_url: must be an http or https URL'],
    [{ block_seconds: 0 }, 'block_seconds: must be above 0'],
    [{ finality: 'soon' }, 'finality: must be tags or latest'],
    [{ rpc_url: 'https://rpc' }, 'rpc_url: no such field'],
  ] as const
  for (const [change, issue] of cases) assert.deepEqual(issuesOf(change), [issue])
  assert.throws(() => readNetworkFile('{'), { issues: ['is not JSON'] })
  assert.throws(() => readNetworkFile('[]'), { issues: ['must be a JSON object'] })
})

test('any text is a network or has issues, never another error', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"token":${json}}`),
  )
  fc.assert(
    fc.property(anything, (text) => {
      try {
        readNetworkFile(text)
      } catch (error) {
        assert.ok(error instanceof InvalidNetworkFile && error.issues.length > 0)
      }
    }),
  )
})
