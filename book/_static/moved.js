// From the address of a page to where it is now: to the same place, whose name may have had the number of its chapter. Where
// another page has taken the address, or parts of a page have moved, only for the places that it does not have.

{
  const place = location.hash.replace("-14-", "-20-"),
    name = place.slice(1).split("?")[0];
  for (const link of document.querySelectorAll("[data-moved]")) {
    const { moved } = link.dataset;
    if (!moved || moved.split(" ").includes(name)) location.replace(link.href + location.search + place);
  }
}
