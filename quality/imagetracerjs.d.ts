/** The part of the package that is used; it ships without types. */
declare module 'imagetracerjs' {
  type Picture = { readonly width: number; readonly height: number; readonly data: Uint8Array }
  const imagetracer: {
    imagedataToSVG(
      picture: Picture,
      options: { readonly numberofcolors: number; readonly viewbox: boolean },
    ): string
  }
  export = imagetracer
}
