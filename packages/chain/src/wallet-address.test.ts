import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from './contracts.ts'
import { BASE } from './network.ts'
import { payeeAddress, walletAddress } from './wallet-address.ts'

// The examples of EIP-55.
const EXAMPLES = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

test('an address is read with its checksum, and in letters of one case', () => {
  for (const example of EXAMPLES)
    for (const text of [example, example.toLowerCase(), `0x${example.slice(2).toUpperCase()}`])
      assert.equal(walletAddress.parse(text), example.toLowerCase(), text)
})

test('a mixed-case address with one wrong digit or letter case is refused', () => {
  for (const wrong of [
    // The first example with its last two letters in the other case, and with one digit changed.
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee',
    '0x5aAeb6053F3E94C9b9A09f33669435E8Ef1BeAed',
  ])
    assert.match(String(walletAddress.safeParse(wrong).error), /EIP-55 checksum/, wrong)
})

test('the zero address and the contracts of payments are no payees', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    [`0x${'0'.repeat(40)}`, /the zero address/],
    [BASE.usdc, /the USDC contract/],
    [CONTRACTS.permit2, /the Permit2 contract/],
    [CONTRACTS.exactPermit2Proxy, /a contract of x402/],
    [CONTRACTS.uptoPermit2Proxy.toLowerCase(), /a contract of x402/],
    [CONTRACTS.channelEscrow, /a contract of x402/],
    ...[...CONTRACTS.channelCollectors, ...CONTRACTS.captureEscrows, ...CONTRACTS.captureCollectors].map(
      (contract) => [contract, /a contract of x402/] as const,
    ),
  ]
  for (const [contract, reason] of refused)
    assert.match(String(payeeAddress.safeParse(contract).error), reason, contract)
  for (const example of EXAMPLES) assert.equal(payeeAddress.parse(example), example.toLowerCase())
})
