import { toFacilitatorEvmSigner } from '@x402/evm'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

export type FacilitatorSigner = ReturnType<typeof toFacilitatorEvmSigner>

/** anvil mines at once: its receipts are there after a few milliseconds. */
const POLL_MS = 20
const RECEIPT_WAIT_MS = 10_000
/** The second transaction reverts, so its gas cannot be estimated. A settlement of `upto` takes 190,000. */
const REPEATED_GAS = 500_000n

/** Without a chain, viem reads the chain id from the node. */
const OF_NODE = { chain: null } as const

/** A wallet that sends settlements on the dev chain, one after the other, for a facilitator of the x402 SDK. */
export class SettlingWallet {
  readonly account: PrivateKeyAccount
  /** Hashes of its transactions, oldest first. */
  readonly sent: Hex[] = []
  readonly #rpcUrl: string
  #last: Promise<unknown> = Promise.resolve()

  constructor({ rpcUrl, key }: { readonly rpcUrl: string; readonly key: Hex }) {
    this.account = privateKeyToAccount(key)
    this.#rpcUrl = rpcUrl
  }

  /**
   * @param copies 2: each settlement is sent in two transactions, of which the second reverts, and its hash is the one
   * that the facilitator waits for.
   */
  signer(copies: 1 | 2 = 1): FacilitatorSigner {
    const transport = http(this.#rpcUrl)
    const { account } = this
    const wallet = createWalletClient({ account, transport, pollingInterval: POLL_MS }).extend(publicActions)
    const client = {
      address: account.address,
      // With the account: the proxy of `upto` refuses simulations of others.
      readContract: wallet.readContract,
      verifyTypedData: wallet.verifyTypedData,
      getCode: wallet.getCode,
      waitForTransactionReceipt: wallet.waitForTransactionReceipt,
      sendTransaction: (call: object) =>
        this.#send(() => wallet.sendTransaction({ ...call, ...OF_NODE } as never)),
      writeContract: async (call: object) => {
        const hash = await this.#send(() => wallet.writeContract({ ...call, ...OF_NODE } as never))
        if (copies === 1) return hash
        await wallet.waitForTransactionReceipt({ hash })
        return this.#send(() => wallet.writeContract({ ...call, ...OF_NODE, gas: REPEATED_GAS } as never))
      },
    }
    // The SDK types its arguments more loosely than viem does.
    type Client = Parameters<typeof toFacilitatorEvmSigner>[0]
    return toFacilitatorEvmSigner(client as unknown as Client, { confirmationTimeoutMs: RECEIPT_WAIT_MS })
  }

  /** In turn: each transaction reads its nonce from the node. */
  #send(work: () => Promise<Hex>): Promise<Hex> {
    const sending = this.#last.then(work).then((hash) => {
      this.sent.push(hash)
      return hash
    })
    this.#last = sending.catch(() => {})
    return sending
  }
}
