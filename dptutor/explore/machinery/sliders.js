// A finger that comes down on a slider may mean to scroll. The slider waits until the finger has gone along it, or has
// left where it came down; where the page scrolls instead, nothing has been moved.

const SIDEWAYS = 6;

const whenSet = (input, set) => {
  let finger = null;
  const take = (value) => {
    finger = null;
    if (input.value !== value) input.value = value;
    set();
  };
  input.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
    const before = input.value;
    finger = pointerType === "touch" ? { clientX, clientY, before, wanted: before } : null;
  });
  input.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!finger) return;
    const across = Math.abs(clientX - finger.clientX);
    if (across > SIDEWAYS && across > Math.abs(clientY - finger.clientY)) take(finger.wanted);
  });
  input.addEventListener("input", () => {
    if (!finger) return set();
    finger.wanted = input.value;
    input.value = finger.before;
  });
  input.addEventListener("pointerup", () => finger && take(finger.wanted));
  input.addEventListener("pointercancel", () => finger && take(finger.before));
};
