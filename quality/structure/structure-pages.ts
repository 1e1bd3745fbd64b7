import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { generatePages } from './generate-pages.ts'
import type { Half, StructurePage } from './structure-page.ts'

/** Pages in which faults had been found before the halves were divided. */
const SEEN =
  /^(?:farmhouseonboone_1|cambreabakes_1|errenskitchen_2|deliciouslysprinkled_1|wikipedia|wikipedia-2|links-in-tables|7a838a167ab3.*|b1ba7e152282.*|bc5a68d0c2c0.*|comments--old\.reddit.*|general--github.*|content-patterns--card-grid.*|general--daringfireball.*|math--.*katex.*|math--wikipedia.*|math--mathjax-tex-scripts)$/

/** The half of a page, by the hash of its name. */
export function halfOf(name: string): Half {
  return SEEN.test(name) || (hashOf(name)[0] ?? 0) % 2 === 0 ? 'tune' : 'held-out'
}

/** Large suites are sampled: of this many pages one, by the hash of its name. */
const RECIPES_EACH = 5
const ARTICLES_EACH = 6

/** All pages of a half, in the order of their suites and names; a suite that is not there is left out. */
export async function readStructurePages(folder: string, half: Half): Promise<StructurePage[]> {
  const suites = [readProducts, readRecipes, readArticles, readReadability, readDefuddle, readExtruct]
  const pages: StructurePage[] = []
  for (const read of suites) pages.push(...(await read(folder, (name) => halfOf(name) === half)))
  return [...pages, ...generatePages(half)]
}

type Wanted = (name: string) => boolean

async function readProducts(folder: string, isWanted: Wanted): Promise<StructurePage[]> {
  const root = join(folder, 'product-extraction-benchmark', 'dataset')
  if (!existsSync(root)) return []
  const truth = JSON.parse(await readFile(join(root, 'ground-truth.json'), 'utf8'))
  const names = Object.keys(truth).sort().filter(isWanted)
  return Promise.all(
    names.map(async (name) => ({
      name,
      suite: 'product-extraction-benchmark',
      url: truth[name].url,
      body: gunzipSync(await readFile(join(root, 'html', `${name}.html.gz`))),
      ...(truth[name].price && { price: truth[name].price[0] }),
    })),
  )
}

async function readRecipes(folder: string, isWanted: Wanted): Promise<StructurePage[]> {
  const files = globSync(join(folder, 'recipe-scrapers/tests/test_data/*/*.testhtml')).sort()
  const names = files.map((file) => basename(file, '.testhtml'))
  const chosen = files.filter(
    (_, at) => isSampled(names[at] ?? '', RECIPES_EACH) && isWanted(names[at] ?? ''),
  )
  return Promise.all(
    chosen.map(async (file) => {
      const truth = JSON.parse(await readFile(file.replace('.testhtml', '.json'), 'utf8'))
      return {
        name: basename(file, '.testhtml'),
        suite: 'recipe-scrapers',
        url: /^https?:/.test(truth.canonical_url) ? truth.canonical_url : 'https://example.com/',
        body: await readFile(file),
        ingredients: truth.ingredients ?? [],
        steps: truth.instructions_list ?? [],
      }
    }),
  )
}

async function readArticles(folder: string, isWanted: Wanted): Promise<StructurePage[]> {
  const root = join(folder, 'trafilatura', 'tests')
  if (!existsSync(root)) return []
  const truth: Record<string, { file: string; with?: string[]; without?: string[] }> = JSON.parse(
    await readFile(join(root, 'evaldata.json'), 'utf8'),
  )
  const pages: StructurePage[] = []
  for (const [url, { file, with: present = [], without = [] }] of Object.entries(truth)) {
    const path = ['cache', 'eval'].map((part) => join(root, part, file)).find((found) => existsSync(found))
    if (path === undefined || !isSampled(file, ARTICLES_EACH) || !isWanted(file)) continue
    pages.push({
      name: file,
      suite: 'trafilatura',
      url,
      body: await readFile(path),
      with: present,
      without,
    })
  }
  return pages
}

async function readReadability(folder: string, isWanted: Wanted): Promise<StructurePage[]> {
  const root = join(folder, 'readability', 'test', 'test-pages')
  const names = existsSync(root) ? (await readdir(root)).sort().filter(isWanted) : []
  return Promise.all(
    names.map(async (name) => ({
      name,
      suite: 'readability',
      url: 'https://example.com/test/page.html',
      body: await readFile(join(root, name, 'source.html')),
    })),
  )
}

async function readDefuddle(folder: string, isWanted: Wanted): Promise<StructurePage[]> {
  const root = join(folder, 'defuddle', 'tests')
  const files = globSync(join(root, 'fixtures', '*.html')).sort()
  const names = files.map((file) => basename(file, '.html')).filter(isWanted)
  return Promise.all(
    names.map(async (name) => {
      const expected = join(root, 'expected', `${name}.md`)
      return {
        name,
        suite: 'defuddle',
        url: 'https://example.com/test/page.html',
        body: await readFile(join(root, 'fixtures', `${name}.html`)),
        ...(existsSync(expected) && { markdown: await readFile(expected, 'utf8') }),
      }
    }),
  )
}

async function readExtruct(folder: string, isWanted: Wanted): Promise<StructurePage[]> {
  const files = globSync(join(folder, 'extruct/tests/samples/*/*.html')).sort()
  const chosen = files.filter((file) => isWanted(basename(file, '.html')))
  return Promise.all(
    chosen.map(async (file) => ({
      name: basename(file, '.html'),
      suite: 'extruct',
      url: 'https://example.com/test/page.html',
      body: await readFile(file),
    })),
  )
}

function isSampled(name: string, each: number): boolean {
  return SEEN.test(name) || (hashOf(name)[1] ?? 0) % each === 0
}

function hashOf(name: string): Buffer {
  return createHash('sha256').update(name).digest()
}
