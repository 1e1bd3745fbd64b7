import { basename } from 'node:path'
import type { ModelKind } from '@tollbook/models/files/installed-models'
import type { FileSource } from '@tollbook/safe-fetch/download-file'

export type CatalogueModel = {
  readonly name: string
  readonly kind: ModelKind
  readonly title: string
  /** SPDX identifier of the licence of the file. */
  readonly licence: string
  /** Its main file first. */
  readonly files: readonly [FileSource, ...FileSource[]]
}

const QWEN = 'https://huggingface.co/Qwen'
const WHISPER =
  'https://huggingface.co/ggerganov/whisper.cpp/resolve/5359861c739e955e79d9a303bcbc70fb988958b1'

const REPOSITORY =
  'https://media.githubusercontent.com/media/mozilla/firefox-translations-models/e7957fc407441a5e3e35bbcbf9d60d9b35764618/models/tiny'

type Sum = readonly [sizeBytes: number, sha256: string]
type Row = readonly [source: string, target: string, model: Sum, shortlist: Sum, vocabulary: Sum]

/** Mozilla's smallest models for Firefox, with sizes and hashes of the pointers in its repository. */
const ROWS: readonly Row[] = [
  [
    'en',
    'es',
    [12_602_853, '2f2cdfb25d855c7c4dd874c2d5d97154339ca9e93c5336c2ec0236415ffcb1ae'],
    [1_720_700, 'ada43ef1592f2f8f2ab26125358a814f7704f28ab77829a859846d21630f28fb'],
    [414_566, '97fd4de57bc3dd9daf15216f84df1d1f1f32e57adfac0c89332a2dbf466a857f'],
  ],
  [
    'es',
    'en',
    [13_215_960, '03ef9234003b450b0b94f84d683bd2e215bc0a72db2bdac6ebe503356dfe73c6'],
    [1_978_538, 'aa6c3a148854089e9f2b51d8a49fef896fad658dc1b4d8760a0b293254c03fde'],
    [414_566, '0148a29b7145e61871846bfda323a9cf70d1e559f14e161d5410423febdeda74'],
  ],
  [
    'en',
    'de',
    [12_768_493, 'da21fcd90a6caa40a0b246d233c8e5f5ad7aa9a1aa98eece09682820d35bb2a6'],
    [2_113_181, 'd6606aecd47624e86721ed4762ba47be07aeb0b2dc004fccd121f2eb1f98bddc'],
    [410_738, '817cd1881b6157ab084048b5d2541b5327b6b1d93652c9805e46c91391b9404f'],
  ],
  [
    'de',
    'en',
    [12_995_752, '0c2798a6a42885877b00f3379416e40e7c748975b9e4b8a7765bab9cb6d2b6f6'],
    [2_657_472, 'a6225f83acca69994aace7f4b295b31e98c579bb0ce92e41486dec9881c90647'],
    [410_738, 'ad7d4180eb98cae576875518721254e9fa9887cf1702e385c63f76445a5024fa'],
  ],
  [
    'en',
    'fr',
    [12_293_754, 'f39efbb6ab154967e2762f7c4baa0ff2f2fa08f32bfe5f6d29b787726476e828'],
    [4_177_155, 'ed5eaebf198b787b718b81948ddb184780a559e6eefdb7416fdf405ef3e50576'],
    [419_721, '254b039b3a79bb6c1a28dc61b1c7b5b192adda3d05650ccd5de99b6076495a65'],
  ],
  [
    'fr',
    'en',
    [12_641_501, '4f5618b93d08bd82bdafc096b5cdfe459e24b263f0a5a23dcf641a070ebb60b5'],
    [4_761_904, '17b933f2b42516ed0d325dd862ee7c50acc74ffc5d2a66059b357b931f788df7'],
    [419_721, 'e90e0e635234445df4defafdea8aff23f8a0d68c73744462c021b5dbff36e55f'],
  ],
]

const languageOf = (code: string) => new Intl.DisplayNames('en', { type: 'language' }).of(code)

/** The catalogue's translation models: the files of each are model, shortlist and vocabulary. */
const TRANSLATION_MODELS = ROWS.map(([source, target, model, shortlist, vocabulary]) => {
  const pair = `${source}${target}`
  const toFile = (name: string, [sizeBytes, sha256]: Sum): FileSource => ({
    url: `${REPOSITORY}/${pair}/${name}.gz`,
    sizeBytes,
    sha256,
  })
  return {
    name: `bergamot-${source}-${target}`,
    kind: 'translation' as const,
    title: `${languageOf(source)} to ${languageOf(target)}, Firefox Translations, 8 bits`,
    licence: 'MPL-2.0',
    files: [
      toFile(`model.${pair}.intgemm.alphas.bin`, model),
      toFile(`lex.50.50.${pair}.s2t.bin`, shortlist),
      toFile(`vocab.${pair}.spm`, vocabulary),
    ] as const,
  }
})

/** From the publishers' repositories, at fixed revisions (docs/decisions/0051-a-catalogue-of-models.md). */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: 'qwen2.5-0.5b-instruct',
    kind: 'chat',
    title: 'Qwen2.5 0.5B Instruct, 4 bits',
    licence: 'Apache-2.0',
    files: [
      {
        url: `${QWEN}/Qwen2.5-0.5B-Instruct-GGUF/resolve/9217f5db79a29953eb74d5343926648285ec7e67/qwen2.5-0.5b-instruct-q4_k_m.gguf`,
        sizeBytes: 491_400_032,
        sha256: '74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db',
      },
    ],
  },
  {
    name: 'qwen2.5-1.5b-instruct',
    kind: 'chat',
    title: 'Qwen2.5 1.5B Instruct, 4 bits',
    licence: 'Apache-2.0',
    files: [
      {
        url: `${QWEN}/Qwen2.5-1.5B-Instruct-GGUF/resolve/91cad51170dc346986eccefdc2dd33a9da36ead9/qwen2.5-1.5b-instruct-q4_k_m.gguf`,
        sizeBytes: 1_117_320_736,
        sha256: '6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e',
      },
    ],
  },
  {
    name: 'nomic-embed-text-v1.5',
    kind: 'embeddings',
    title: 'Nomic Embed Text 1.5, English, 768 dimensions, 8 bits',
    licence: 'Apache-2.0',
    files: [
      {
        url: 'https://huggingface.co/nomic-ai/nomic-embed-text-v1.5-GGUF/resolve/0188c9bf409793f810680a5a431e7b899c46104c/nomic-embed-text-v1.5.Q8_0.gguf',
        sizeBytes: 146_146_432,
        sha256: '3e24342164b3d94991ba9692fdc0dd08e3fd7362e0aacc396a9a5c54a544c3b7',
      },
    ],
  },
  {
    name: 'whisper-base',
    kind: 'transcription',
    title: 'Whisper base, 99 languages',
    licence: 'MIT',
    files: [
      {
        url: `${WHISPER}/ggml-base.bin`,
        sizeBytes: 147_951_465,
        sha256: '60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe',
      },
    ],
  },
  {
    name: 'whisper-small',
    kind: 'transcription',
    title: 'Whisper small, 99 languages',
    licence: 'MIT',
    files: [
      {
        url: `${WHISPER}/ggml-small.bin`,
        sizeBytes: 487_601_967,
        sha256: '1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b',
      },
    ],
  },
  ...TRANSLATION_MODELS,
]

export function fileNameOf({ url }: FileSource): string {
  return basename(new URL(url).pathname)
}

export function sizeOfModel({ files }: CatalogueModel): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Rounded, as sizes are shown. */
export function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
