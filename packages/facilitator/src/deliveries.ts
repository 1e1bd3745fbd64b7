import type { Logger } from '@tollbook/flow/logger'
import type { KeyedHash } from '@tollbook/gate/calls/keyed-hash'
import type { Owner } from '@tollbook/gate/calls/owners'
import { createPrepared, type Prepared } from '@tollbook/gate/calls/prepared'
import { toQuietError } from '@tollbook/gate/quiet-error'
import { type SqlBool, sql } from 'kysely'
import type { State } from './state/state.ts'

/** A settlement, and the request that wants its success. */
export type DeliveryRequest = {
  readonly id: string
  /** The seller's `Idempotency-Key`: whoever repeats it may have the answer again. */
  readonly key: string | null
  /** Epoch seconds at which its authorization ends. */
  readonly validBefore: number
  /** As in `Call`. */
  readonly whenWritten: () => Promise<boolean>
}

/** Longer than any settlement of others is stored. */
const DELIVERY_MS = 9 * 24 * 60 * 60_000

/** The right of one request to the success of a settlement. */
type Delivery = {
  /** The success was written to its end, or never will be; later calls have no effect. */
  end(isDelivered: boolean): Promise<void>
}

/**
 * Decides which request gets the success of a settlement: a stock server answers its caller for each one, so that
 * one payment would buy several answers. Another request gets it if the connection of the earlier one closed
 * before its end, or the process died.
 */
export class Deliveries {
  readonly #state: State
  readonly #owner: Owner
  readonly #keyedHash: KeyedHash
  readonly #logger: Logger
  readonly #prepared: Prepared
  /** Ends of this process that are not stored yet: the next request waits for them. */
  readonly #ending = new Map<string, Promise<void>>()

  constructor(parts: {
    readonly state: State
    readonly owner: Owner
    readonly keyedHash: KeyedHash
    readonly logger: Logger
  }) {
    this.#state = parts.state
    this.#owner = parts.owner
    this.#keyedHash = parts.keyedHash
    this.#logger = parts.logger
    this.#prepared = createPrepared(parts.state)
  }

  /**
   * Acts for the request that has the right to the success.
   * @returns `open` while another request waits for the success, `delivered` after one got it.
   */
  async once<Result>(
    request: DeliveryRequest,
    act: () => Promise<Result>,
    isSuccess: (result: Result) => boolean,
  ): Promise<Result | 'open' | 'delivered'> {
    const delivery = await this.#begin(request)
    if (typeof delivery === 'string') return delivery
    let isSettled = false
    const acting = act().then(async (result) => {
      isSettled = isSuccess(result)
      // Before it is answered: the seller may repeat the request at once.
      if (!isSettled) await delivery.end(false)
      return result
    })
    const follow = async () => {
      const isWritten = await request.whenWritten()
      // A caller that disconnected leaves the right to its next request.
      if (isWritten) await acting.catch(() => {})
      await delivery.end(isWritten && isSettled)
    }
    follow().catch((error) =>
      this.#logger.error({ err: toQuietError(error) }, 'a delivered settlement was not recorded'),
    )
    return acting
  }

  /** Deletes rows of settlements that are no longer stored. */
  async sweep(now: Date): Promise<void> {
    await this.#state.db
      .deleteFrom('settle_delivery')
      .where('valid_before', '<', Math.floor((now.getTime() - DELIVERY_MS) / 1000))
      .execute()
  }

  async #begin(request: DeliveryRequest): Promise<Delivery | 'open' | 'delivered'> {
    const { id, validBefore } = request
    const key = request.key === null ? '' : this.#keyedHash('idempotency-key', request.key)
    const token = this.#owner.newLease()
    try {
      for (;;) {
        await this.#ending.get(id)?.catch(() => {})
        if (await this.#take(id, key, token, validBefore)) return this.#toDelivery(request, key, token)
        const row = await this.#state.db
          .selectFrom('settle_delivery')
          .select(['key', 'is_delivered'])
          .where('id', '=', id)
          .executeTakeFirst()
        if (!row) continue
        if (key !== '' && row.key === key) return this.#toDelivery(request, key, token)
        this.#owner.release(token)
        return row.is_delivered === 1 ? 'delivered' : 'open'
      }
    } catch (error) {
      this.#owner.release(token)
      throw error
    }
  }

  #toDelivery(request: DeliveryRequest, key: string, token: string): Delivery {
    let isOver = false
    return {
      end: async (isDelivered) => {
        if (isOver) return
        isOver = true
        const { id } = request
        const stored = isDelivered ? this.#deliver(request, key, token) : this.#giveUp(id, token)
        this.#ending.set(id, stored)
        try {
          await stored
        } finally {
          if (this.#ending.get(id) === stored) this.#ending.delete(id)
          this.#owner.release(token)
        }
      },
    }
  }

  /** True if nobody has the right: no row, or one whose process died. */
  async #take(id: string, key: string, token: string, validBefore: number): Promise<boolean> {
    const owner = this.#owner
    const values = { id, key, owner: owner.id, token, is_delivered: 0, valid_before: validBefore }
    const build = () =>
      this.#state.db
        .insertInto('settle_delivery')
        .values(values)
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(({ ref }) => ({
              key: ref('excluded.key'),
              owner: ref('excluded.owner'),
              token: ref('excluded.token'),
            }))
            .where(sql<SqlBool>`settle_delivery.is_delivered = 0`)
            .where(
              sql<SqlBool>`not exists (select 1 from payment_owner where payment_owner.id = settle_delivery.owner and payment_owner.lease_until >= ${owner.leaseTime()})`,
            ),
        )
    return (await this.#prepared.run('take', Object.values(values), build, true)) === 1
  }

  async #deliver({ id, validBefore }: DeliveryRequest, key: string, token: string): Promise<void> {
    const values = { id, key, owner: this.#owner.id, token, is_delivered: 1, valid_before: validBefore }
    const build = () =>
      this.#state.db
        .insertInto('settle_delivery')
        .values(values)
        // Its process may have lost the right in the meantime: delivered it is all the same.
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ is_delivered: 1 }))
    await this.#prepared.run('deliver', [...Object.values(values), 1], build, true)
  }

  async #giveUp(id: string, token: string): Promise<void> {
    const build = () =>
      this.#state.db
        .deleteFrom('settle_delivery')
        .where('id', '=', id)
        .where('token', '=', token)
        .where('is_delivered', '=', 0)
    await this.#prepared.run('give up', [id, token, 0], build, true)
  }
}
