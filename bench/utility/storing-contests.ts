import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { vectorizeRawSync } from '@neplex/vectorizer'
import { iconSvg } from '@tollbook/testing/utility/images'
import { get, put } from '@tollbook/utility/endpoints/api/scratchpad/{name}/endpoint'
import { append, query } from '@tollbook/utility/endpoints/api/store/{collection}/endpoint'
import { vectorize } from '@tollbook/utility/endpoints/api/vectorize/endpoint'
import type { UtilityPorts } from '@tollbook/utility/ports'
import sharp from 'sharp'
import { call } from './call-endpoint.ts'
import { type Contest, timed } from './contest.ts'

const ICONS = ['solid/rocket', 'solid/gear', 'regular/heart', 'brands/github', 'solid/house', 'solid/star']
const ICON_PIXELS = 512

/**
 * Endpoints that store what a wallet sends, next to a bare table with the same durability, and the endpoint
 * that traces images.
 */
export async function runStoringContests(
  ports: UtilityPorts,
  calls: number,
  run: <Item>(contest: Contest<Item>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-bare-'))
  const bare = openBare(join(folder, 'bare.sqlite'))
  const rows = Array.from({ length: 10 * calls }, (_, number) => ({
    number,
    note: `row ${number}`,
    price: number / 8,
  }))
  try {
    for (const contest of storingContests(ports, bare, rows)) await run(contest)
  } finally {
    bare.close()
    rmSync(folder, { recursive: true })
  }
  await run(await tracingContest(ports))
}

type Row = { readonly number: number; readonly note: string; readonly price: number }

function storingContests(ports: UtilityPorts, bare: DatabaseSync, rows: readonly Row[]): Contest<Row>[] {
  const insert = bare.prepare('insert into row (body) values (?)')
  const newest = bare.prepare('select id, body from row order by id limit 100')
  const pad = bare.prepare(
    'insert into pad (name, body) values (?, ?) on conflict do update set body = excluded.body',
  )
  const readPad = bare.prepare('select body from pad where name = ?')
  const unit = 'calls/s'
  const name = 'a table of node:sqlite, synchronous full, in this thread'
  return [
    {
      figure: 'POST /api/store/{collection}, one row',
      unit,
      items: rows,
      ours: timed((row) => call(append, { collection: 'bench', body: row }, ports)),
      peer: { name, side: timed((row) => insert.run(JSON.stringify(row))) },
    },
    {
      figure: 'GET /api/store/{collection}, 100 rows',
      unit,
      items: rows,
      ours: timed(() => call(query, { collection: 'bench' }, ports)),
      peer: { name, side: timed(() => JSON.stringify(newest.all())) },
    },
    {
      figure: 'PUT /api/scratchpad/{name}',
      unit,
      items: rows,
      ours: timed(({ note }) => call(put, { name: 'bench', content: note }, ports)),
      peer: { name, side: timed(({ note }) => pad.run('bench', note)) },
    },
    {
      figure: 'GET /api/scratchpad/{name}',
      unit,
      items: rows,
      ours: timed(() => call(get, { name: 'bench' }, ports)),
      peer: { name, side: timed(() => JSON.stringify(readPad.get('bench'))) },
    },
  ]
}

async function tracingContest(ports: UtilityPorts): Promise<Contest<Buffer>> {
  const images = await Promise.all(
    ICONS.map(async (icon) => {
      const drawn = sharp(Buffer.from(iconSvg(icon))).resize(ICON_PIXELS, ICON_PIXELS, { fit: 'contain' })
      return drawn.flatten({ background: '#fff' }).png().toBuffer()
    }),
  )
  return {
    figure: '/api/vectorize, icons of 512 pixels to SVG, in a child',
    unit: 'calls/s',
    items: [...images, ...images],
    ours: timed((png) => call(vectorize, { image_base64: png.toString('base64') }, ports)),
    peer: { name: '@neplex/vectorizer 0.1.0 by its defaults, in this thread', side: timed(traceByNeplex) },
  }
}

async function traceByNeplex(png: Buffer): Promise<string> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return vectorizeRawSync(data, { width: info.width, height: info.height })
}

function openBare(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table row (id integer primary key, body text not null);
    create table pad (name text primary key, body text not null)`)
  return database
}
