// From the address of a page to where it is now: to the same place, whose name may have had the number of its chapter. Where
// another page has taken the address, only for the places that it does not have.

{
  const link = document.querySelector("[data-moved]"),
    place = location.hash.replace("-14-", "-20-"),
    { moved } = link.dataset;
  if (!moved || moved.split(" ").includes(place.slice(1).split("?")[0]))
    location.replace(link.href + location.search + place);
}
