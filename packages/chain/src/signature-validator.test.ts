import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { encodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode } from 'viem'
import { bytesToHex, type Hex } from './hex.ts'
import { hashMessage } from './message-signer.ts'
import { createWalletSignatures } from './wallet-signatures.ts'

test('the chain is sent what viem encodes, for signatures of any length', async () => {
  const sent: unknown[] = []
  const wallets = createWalletSignatures({
    call: async (_method, [transaction]) => {
      sent.push((transaction as { readonly data: Hex }).data)
      return '0x01'
    },
  })
  const address = '0x00000000000000000000000000000000000000aa'
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.uint8Array({ maxLength: 300 }), async (message, bytes) => {
      const signature = bytesToHex(Buffer.from(bytes))
      assert.equal(await wallets.isSignedBy({ address, message, signature }), true)
      const expected = encodeDeployData({
        abi: erc6492SignatureValidatorAbi,
        args: [address, hashMessage(message), signature],
        bytecode: erc6492SignatureValidatorByteCode,
      })
      assert.equal(sent.pop(), expected)
    }),
  )
})
